"""Workloads of many rows as columns."""
