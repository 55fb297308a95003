"""K8sSim's eleven algorithms for Kubernetes: profiles of which only one score is left.

Each is the plugin of the run's own release, or the formula of the last release that had it. `k8ssim-compat` is what
K8sSim itself does: kube-scheduler 1.14, where only GeneralPredicates filter, scores are from 0 to 10 and not
compared between nodes, the best nodes are taken in turn, and a pod that does not fit blocks those behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.config import (
    Configuration,
    EnabledPlugin,
    NodeLabelArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    Profile,
    ScoringStrategy,
    default_configuration,
)
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.framework.selection import RoundRobinTies
from wavetank.scheduling.named.scheduler import NamedScheduler

COMPAT = "k8ssim-compat"
COMPAT_SUFFIX = f"-{COMPAT}"

# What GeneralPredicates of 1.14 looks at: resources, the named node, host ports, and the node selector.
_GENERAL_PREDICATES = frozenset({"NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"})

_TODAY = "Kubernetes of the run"


@dataclass(frozen=True)
class _Algorithm:
    """One score alone: the plugin that gives it, the one of 1.14, what it prefers, and which release it is from."""

    score: str
    score_of_1_14: str
    formula: str
    source: str = _TODAY


_ALGORITHMS: Mapping[str, _Algorithm] = {
    "LRP": _Algorithm(
        "NodeResourcesFit",
        "LeastRequestedPriority",
        "least requested: mean over CPU and memory of (capacity - requested) * 100 / capacity",
    ),
    "MRP": _Algorithm(
        "NodeResourcesFit",
        "MostRequestedPriority",
        "most requested: mean over CPU and memory of requested * 100 / capacity",
    ),
    "BRA": _Algorithm(
        "NodeResourcesBalancedAllocation",
        "BalancedResourceAllocation",
        "balanced: (1 - std of the requested shares of CPU and memory) * 100; from 1.36 what the pod changes in it",
    ),
    "EP": _Algorithm("EqualPriority", "EqualPriority", "equal: 1 for every node, so any that fits", "Kubernetes 1.14"),
    "RLP": _Algorithm(
        "NodeResourceLimits",
        "NodeResourceLimits",
        "limits: 1 if the node has the pod's limit of CPU or of memory, else 0",
        "Kubernetes 1.19",
    ),
    "TTP": _Algorithm(
        "TaintToleration",
        "TaintTolerationPriority",
        "taints: 100 - 100 * untolerated soft taints / the most of any node",
    ),
    "NAP": _Algorithm(
        "NodeAffinity",
        "NodeAffinityPriority",
        "node affinity: 100 * weights of the preferred terms that match / the most of any node",
    ),
    "ILP": _Algorithm(
        "ImageLocality",
        "ImageLocalityPriority",
        "images: bytes of the pod's images on the node * share of nodes that have them, 0 at 23 MiB to 100 at 1000 MiB",
    ),
    "NPAPP": _Algorithm(
        "NodePreferAvoidPods",
        "NodePreferAvoidPodsPriority",
        "avoided pods: 0 if the node's annotation preferAvoidPods names the pod's ReplicaSet, else 100",
        "Kubernetes 1.19",
    ),
    "NLP": _Algorithm(
        "NodeLabel",
        "NodeLabelPriority",
        "labels: mean of 100 for each label wished present or absent that is so (args: present, absent)",
        "Kubernetes 1.19",
    ),
    "IPAP": _Algorithm(
        "InterPodAffinity",
        "InterPodAffinityPriority",
        "pod affinity: weights of matching terms per topology domain, from 0 for the lowest node to 100",
    ),
}


def kubernetes_algorithms() -> Iterator[NamedScheduler]:
    """Yields the eleven, in the order in which K8sSim lists them."""
    for name, algorithm in _ALGORITHMS.items():
        make = partial(_make, name, algorithm)
        yield NamedScheduler(name, "kube-scheduler", algorithm.formula, algorithm.source, make)


def make_algorithm(name: str, version: Version, compat: bool) -> SchedulerDefinition:
    """Returns one of the eleven, as it is today or as K8sSim runs it."""
    return _make(name, _ALGORITHMS[name], name, version, {COMPAT: compat})


def _make(
    wanted: str, algorithm: _Algorithm, name: str, version: Version, args: Mapping[str, Any]
) -> SchedulerDefinition:
    for given in args:
        if given != COMPAT and not (wanted == "NLP" and given in ("present", "absent")):
            raise InputError(f"{wanted} does not know the argument {given!r}", path="args")
    compat = args.get(COMPAT, False)
    if not isinstance(compat, bool):
        raise InputError(f"expected true or false, got {compat!r:.60}", path=f"args.{COMPAT}")
    plugin = algorithm.score_of_1_14 if compat else algorithm.score
    own = _own_args(wanted, plugin, args)
    change: Callable[[Profile], Profile] = partial(_compat if compat else _alone, plugin, own)
    configuration = _changed(default_configuration(version), change)
    if not compat:
        return SchedulerDefinition(name, f"{wanted}, {algorithm.formula}", configuration)
    described = f"{wanted} as in K8sSim ({COMPAT}): {plugin} of Kubernetes 1.14"
    return SchedulerDefinition(name, described, configuration, own_ties=RoundRobinTies, in_order=True)


def _own_args(wanted: str, plugin: str, args: Mapping[str, Any]) -> Mapping[str, PluginArgs]:
    if wanted == "NLP":
        return {plugin: NodeLabelArgs(_labels(args, "present"), _labels(args, "absent"))}
    if plugin == "NodeResourcesFit":
        strategy = ScoringStrategy("MostAllocated" if wanted == "MRP" else "LeastAllocated")
        return {plugin: NodeResourcesFitArgs(scoring_strategy=strategy)}
    return {}


def _labels(args: Mapping[str, Any], field: str) -> tuple[str, ...]:
    labels = args.get(field, [])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise InputError(f"expected a list of labels, got {labels!r:.60}", path=f"args.{field}")
    return tuple(labels)


def _changed(configuration: Configuration, change: Callable[[Profile], Profile]) -> Configuration:
    (profile,) = configuration.profiles
    return replace(configuration, profiles=(change(profile),))


def _alone(plugin: str, args: Mapping[str, PluginArgs], profile: Profile) -> Profile:
    """Leaves the profile only one score."""
    scores = {"score": (EnabledPlugin(plugin, 1),), "preScore": _only({plugin}, profile.plugins["preScore"])}
    return replace(profile, plugins={**profile.plugins, **scores}, args={**profile.args, **args})


def _compat(plugin: str, args: Mapping[str, PluginArgs], profile: Profile) -> Profile:
    """Makes of the profile what K8sSim runs, on all nodes instead of a sample."""
    scorer = EnabledPlugin(plugin, 1)
    filters = {point: _only(_GENERAL_PREDICATES, profile.plugins[point]) for point in ("preFilter", "filter")}
    nothing: dict[str, tuple[EnabledPlugin, ...]] = {"reserve": (), "permit": (), "preBind": ()}
    plugins = {**profile.plugins, **filters, **nothing, "preScore": (scorer,), "score": (scorer,)}
    return replace(profile, plugins=plugins, args={**profile.args, **args}, percentage_of_nodes_to_score=100)


def _only(names: set[str] | frozenset[str], plugins: tuple[EnabledPlugin, ...]) -> tuple[EnabledPlugin, ...]:
    return tuple(plugin for plugin in plugins if plugin.name in names)
