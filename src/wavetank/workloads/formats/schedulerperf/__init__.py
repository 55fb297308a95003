"""kube-scheduler's scheduler_perf test cases."""
