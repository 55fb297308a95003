"""Scheduler extenders: when they are asked, and what their answers mean."""
