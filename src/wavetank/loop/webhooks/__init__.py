"""Webhooks of programs in the loop, called by the simulated API server at the same virtual time."""
