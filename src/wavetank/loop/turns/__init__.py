"""Lockstep: programs and the simulation take turns."""
