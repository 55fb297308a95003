"""Scheduling cycles: flavors, preemption, admission."""
