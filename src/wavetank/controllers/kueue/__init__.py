"""Kueue: quotas for Jobs and pods, borrowed, lent and taken back in cohorts."""
