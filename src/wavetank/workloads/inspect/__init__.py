"""Summaries and pictures of workloads for `wavetank inspect`."""
