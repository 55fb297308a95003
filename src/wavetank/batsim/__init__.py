"""Batsim's protocol, both ways: a simulator for schedulers that speak it, and schedulers for a Batsim."""
