"""Admission webhooks: which are called for a write, in which order, and what becomes of their answers."""
