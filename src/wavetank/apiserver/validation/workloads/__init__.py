"""Validation of kinds that manage pods: apps, batch, autoscaling, policy."""
