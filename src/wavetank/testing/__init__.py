"""Tests that schedulers of others can inherit."""

from wavetank.testing.conformance import PolicyConformance, SchedulerConformance

__all__ = ["PolicyConformance", "SchedulerConformance"]
