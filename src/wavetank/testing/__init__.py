"""Tests that schedulers of others can inherit, and a check of results for tests of one's own."""

from wavetank.testing.checks import check
from wavetank.testing.conformance import PolicyConformance, SchedulerConformance

__all__ = ["PolicyConformance", "SchedulerConformance", "check"]
