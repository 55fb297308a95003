"""Lockstep: whose turn it is, and when a program is quiet."""
