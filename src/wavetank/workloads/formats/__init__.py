"""One module or package per workload format."""
