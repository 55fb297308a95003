"""Pending workloads, in the order in which they are tried."""
