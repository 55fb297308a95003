"""Batsim's workloads, events and platforms."""
