"""Tests that your own schedulers can inherit, a scripted cluster for tests of controllers, and checks of results."""

from wavetank.testing.checks import check
from wavetank.testing.conformance import PluginConformance, PolicyConformance, SchedulerConformance
from wavetank.testing.scripted.audit import AuditedRequest
from wavetank.testing.scripted.cluster import RecordedEvent, ScriptedCluster
from wavetank.testing.scripted.pods import PodTimes
from wavetank.testing.scripted.signals import Signal

__all__ = [
    "AuditedRequest",
    "PluginConformance",
    "PodTimes",
    "PolicyConformance",
    "RecordedEvent",
    "SchedulerConformance",
    "ScriptedCluster",
    "Signal",
    "check",
]
