"""The batch operator: BatchJobs that schedulings queue onto the slots of testbeds."""
