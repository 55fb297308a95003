"""Latency models that are fitted to real runs."""
