"""The applications that BatchJobs become: Spark and Flink."""
