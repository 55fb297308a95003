"""Scheduler extenders: when they are called, and what their answers mean."""
