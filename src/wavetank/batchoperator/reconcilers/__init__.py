"""The reconcilers of testbeds, Schedulings and BatchJobs."""
