"""Writers of workloads."""
