"""The plugins of kube-scheduler's own registry with default feature gates, release by release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wavetank.cluster.releases import NEWEST, OLDEST, Version, version_name
from wavetank.errors import InputError
from wavetank.scheduling.config.model import EnabledPlugin

MULTI_POINT = "multiPoint"
EXTENSION_POINTS = (
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
)
_PLACEMENT_POINTS = ("placementGenerate", "placementScore")
WEIGHTED_POINTS = frozenset({"score", "placementScore"})


@dataclass(frozen=True, slots=True)
class _Span:
    """Something that holds from one minor release of Kubernetes 1 to another, both included."""

    name: str
    points: str = ""
    weight: int = 0
    since: int = OLDEST[1]
    until: int = NEWEST[1]

    def holds(self, version: Version) -> bool:
        return self.since <= version[1] <= self.until


_IN_TREE_LIMITS = ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits")

# Points that older releases lacked and that only prepare another one are left as they are later.
_IMPLEMENTED = (
    _Span("PrioritySort", "queueSort"),
    _Span("SchedulingGates", "preEnqueue", since=27),
    _Span("NodeUnschedulable", "filter"),
    _Span("NodeName", "filter"),
    _Span("TaintToleration", "filter preScore score"),
    _Span("NodeAffinity", "filter preScore score", until=23),
    _Span("NodeAffinity", "preFilter filter preScore score", since=24),
    _Span("NodePorts", "preFilter filter"),
    _Span("NodeResourcesFit", "preFilter filter", until=21),
    _Span("NodeResourcesFit", "preFilter filter preScore score", since=22, until=35),
    _Span("NodeResourcesFit", "preFilter filter preScore score placementScore", since=36),
    _Span("NodeResourcesLeastAllocated", "score", until=21),
    _Span("NodeResourcesMostAllocated", "score", until=21),
    _Span("NodeResourcesBalancedAllocation", "preScore score"),
    _Span("NodePreferAvoidPods", "score", until=21),
    _Span("SelectorSpread", "preScore score", until=19),
    _Span("ImageLocality", "score"),
    _Span("VolumeRestrictions", "preFilter filter"),
    _Span("NodeVolumeLimits", "preFilter filter"),
    *(_Span(name, "preFilter filter", until=31) for name in _IN_TREE_LIMITS),
    _Span("VolumeBinding", "preFilter filter reserve preBind score", until=29),
    _Span("VolumeBinding", "preFilter filter reserve preBind preScore score", since=30),
    _Span("VolumeZone", "preFilter filter"),
    _Span("PodTopologySpread", "preFilter filter preScore score"),
    _Span("InterPodAffinity", "preFilter filter preScore score"),
    _Span("DynamicResources", "preEnqueue preFilter filter postFilter preScore reserve postBind", since=26, until=29),
    _Span(
        "DynamicResources",
        "preEnqueue preFilter filter postFilter preScore reserve preBind postBind",
        since=30,
        until=31,
    ),
    _Span("DynamicResources", "preEnqueue preFilter filter postFilter reserve preBind", since=32, until=34),
    _Span("DynamicResources", "preEnqueue preFilter filter postFilter score reserve preBind", since=35),
    _Span("DefaultPreemption", "postFilter", until=31),
    _Span("DefaultPreemption", "preEnqueue postFilter", since=32),
    _Span("DefaultBinder", "bind"),
    _Span("NodeDeclaredFeatures", "preFilter filter", since=35),
    _Span("GangScheduling", "preEnqueue reserve permit", since=35, until=35),
    _Span("GangScheduling", "preEnqueue permit", since=36),
    _Span("TopologyPlacementGenerator", "placementGenerate", since=36),
    _Span("PodGroupPodsCount", "placementScore", since=36),
)

# Up to 1.22 every extension point had a list of its own: in this order at Filter, where the order matters.
_DEFAULTS = (
    _Span("SchedulingGates", since=30),
    _Span("PrioritySort"),
    _Span("NodeUnschedulable"),
    _Span("NodeResourcesFit", until=19),
    _Span("NodeName"),
    _Span("NodePorts", until=19),
    _Span("NodeAffinity", weight=1, until=19),
    _Span("VolumeRestrictions", until=19),
    _Span("TaintToleration", weight=1, until=22),
    _Span("TaintToleration", weight=3, since=23),
    _Span("NodeAffinity", weight=1, since=20, until=22),
    _Span("NodeAffinity", weight=2, since=23),
    _Span("NodePorts", since=20),
    _Span("NodeResourcesFit", weight=1, since=20),
    _Span("VolumeRestrictions", since=20),
    _Span("EBSLimits", until=30),
    _Span("GCEPDLimits", until=30),
    _Span("NodeVolumeLimits"),
    _Span("AzureDiskLimits", until=30),
    _Span("VolumeBinding"),
    _Span("VolumeZone"),
    _Span("PodTopologySpread", weight=2),
    _Span("InterPodAffinity", weight=1, until=22),
    _Span("InterPodAffinity", weight=2, since=23),
    _Span("DynamicResources", since=34, until=34),
    _Span("DynamicResources", weight=2, since=35),
    _Span("DefaultPreemption"),
    _Span("NodeResourcesBalancedAllocation", weight=1),
    _Span("NodeResourcesLeastAllocated", weight=1, until=21),
    _Span("NodePreferAvoidPods", weight=10000, until=21),
    _Span("SelectorSpread", weight=1, until=19),
    _Span("ImageLocality", weight=1),
    _Span("DefaultBinder"),
    _Span("SchedulingGates", since=27, until=29),
    _Span("NodeDeclaredFeatures", since=36),
)

# Release 1.31 still registers these, but accepts them only under multiPoint.
_WITHDRAWN = frozenset(_IN_TREE_LIMITS)
_WITHDRAWN_SINCE: Version = (1, 31)


def check_version(version: Version) -> None:
    """Refuses a release whose plugins are not known."""
    if not OLDEST <= version <= NEWEST:
        known = f"{version_name(OLDEST)} to {version_name(NEWEST)}"
        raise InputError(f"Kubernetes {version_name(version)} is not supported, expected {known}")


def extension_points(version: Version) -> tuple[str, ...]:
    """Returns the extension points that a profile of that release can configure, multiPoint aside."""
    return EXTENSION_POINTS + (_PLACEMENT_POINTS if version >= (1, 36) else ())


@cache
def registry(version: Version) -> Mapping[str, frozenset[str]]:
    """Returns the extension points that each registered plugin implements."""
    return {span.name: frozenset(span.points.split()) for span in _IMPLEMENTED if span.holds(version)}


@cache
def default_plugins(version: Version) -> tuple[EnabledPlugin, ...]:
    """Returns what MultiPoint enables by default, in order; a scoring plugin with weight 0 counts once."""
    return tuple(EnabledPlugin(span.name, span.weight) for span in _DEFAULTS if span.holds(version))


def is_withdrawn(name: str, version: Version) -> bool:
    """Returns whether that release rejects a configuration that names this removed plugin."""
    return name in _WITHDRAWN and version >= _WITHDRAWN_SINCE
