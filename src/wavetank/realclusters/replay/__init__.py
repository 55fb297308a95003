"""Workloads of experiments, replayed on a real cluster."""
