"""Reads the arguments of plugins, filling in and refusing what kube-scheduler does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.cluster.fields.selectors import read_field, read_label_key, read_list, read_text
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.config.args import (
    LEAST_USED,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    VolumeBindingArgs,
)
from wavetank.scheduling.config.gates import NO_GATES, STORAGE_CAPACITY_SCORING, FeatureGates
from wavetank.scheduling.config.nodeaffinity import read_node_affinity
from wavetank.scheduling.config.noderesources import read_balanced_allocation, read_fit, read_shape
from wavetank.scheduling.config.reading import INT64_MAX, integer, read_bool, read_duration, read_object

API_VERSION = "kubescheduler.config.k8s.io/v1"
_TYPE_META = ("apiVersion", "kind")
_SPREAD_FIELDS = (
    "maxSkew",
    "topologyKey",
    "whenUnsatisfiable",
    "labelSelector",
    "minDomains",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "matchLabelKeys",
)


def takes_args(plugin: str, version: Version) -> bool:
    """Returns whether the release knows a type for this plugin's arguments; others are not looked at."""
    return plugin in _READERS and (plugin != "DynamicResources" or version >= (1, 34))


def read_args(plugin: str, raw: object, version: Version, gates: FeatureGates = NO_GATES) -> PluginArgs:
    """Reads the arguments of a plugin that takes some; null reads as the defaults."""
    fields, read = _READERS[plugin]
    args = read_object(raw, _TYPE_META + fields)
    _check_type(args, f"{plugin}Args")
    if plugin == "VolumeBinding" and STORAGE_CAPACITY_SCORING in gates:
        return _read_volume_scoring(args)
    return read(args, version)


def _check_type(args: Mapping[str, object], kind: str) -> None:
    for name, expected in (("apiVersion", API_VERSION), ("kind", kind)):
        if (given := read_field(args, name, read_text)) not in ("", expected):
            raise InputError(f"{given!r} is not the type of these arguments, expected {expected}", path=name)


def _read_added_affinity(args: Mapping[str, object], _: Version) -> NodeAffinityArgs:
    return NodeAffinityArgs(read_field(args, "addedAffinity", read_node_affinity))


def _read_inter_pod_affinity(args: Mapping[str, object], _: Version) -> InterPodAffinityArgs:
    return InterPodAffinityArgs(
        read_field(args, "hardPodAffinityWeight", integer(1, 0, 100)),
        read_field(args, "ignorePreferredTermsOfExistingPods", read_bool),
    )


def _read_spread(args: Mapping[str, object], version: Version) -> PodTopologySpreadArgs:
    constraints = read_field(args, "defaultConstraints", read_list(_read_constraint))
    _check_no_repetition(constraints)
    default = "System" if version >= (1, 20) else "List"  # before, SelectorSpread does it
    match read_field(args, "defaultingType", read_text) or default:
        case "System" if constraints:
            raise InputError("'System' does not go with constraints, expected List", path="defaultingType")
        case "System":
            return PodTopologySpreadArgs()
        case "List":
            return PodTopologySpreadArgs(constraints, "List")
        case other:
            raise InputError(f"{other!r} is unknown, expected System or List", path="defaultingType")


def _read_constraint(raw: object) -> Mapping[str, object]:
    constraint = read_object(raw, _SPREAD_FIELDS)
    read_field(constraint, "maxSkew", integer(0, 1))
    read_field(constraint, "topologyKey", read_label_key)
    action = read_field(constraint, "whenUnsatisfiable", read_text)
    if action not in ("DoNotSchedule", "ScheduleAnyway"):
        message = f"{action!r} is unknown, expected DoNotSchedule or ScheduleAnyway"
        raise InputError(message, path="whenUnsatisfiable")
    if constraint.get("labelSelector") is not None:
        raise InputError("a default constraint has no selector: each pod brings its own", path="labelSelector")
    _read_rest_of_constraint(constraint)
    return constraint


def _read_rest_of_constraint(constraint: Mapping[str, object]) -> None:
    read_field(constraint, "minDomains", integer(None))
    read_field(constraint, "nodeAffinityPolicy", read_text)
    read_field(constraint, "nodeTaintsPolicy", read_text)
    read_field(constraint, "matchLabelKeys", read_list(read_text))


def _check_no_repetition(constraints: tuple[Mapping[str, object], ...]) -> None:
    seen = set[tuple[object, object]]()
    for index, constraint in enumerate(constraints):
        key = constraint["topologyKey"], constraint["whenUnsatisfiable"]
        if key in seen:
            message = f"{key[0]} with {key[1]} stands here twice"
            raise InputError(message, path=f"defaultConstraints[{index}]")
        seen.add(key)


def _read_preemption(args: Mapping[str, object], version: Version) -> DefaultPreemptionArgs:
    usual = 10 if version >= (1, 20) else 100  # before, every node was tried
    percentage = read_field(args, "minCandidateNodesPercentage", integer(usual, 0, 100))
    absolute = read_field(args, "minCandidateNodesAbsolute", integer(100, 0))
    if percentage == absolute == 0:
        message = "cannot be 0 when minCandidateNodesAbsolute is: no node would be looked at"
        raise InputError(message, path="minCandidateNodesPercentage")
    return DefaultPreemptionArgs(percentage, absolute)


def _read_volume_binding(args: Mapping[str, object], _: Version) -> VolumeBindingArgs:
    if args.get("shape") is not None:
        raise InputError("needs a feature gate that is off by default, expected no shape", path="shape")
    return VolumeBindingArgs(read_field(args, "bindTimeoutSeconds", integer(600, 0, INT64_MAX)))


def _read_volume_scoring(args: Mapping[str, object]) -> VolumeBindingArgs:
    timeout = read_field(args, "bindTimeoutSeconds", integer(600, 0, INT64_MAX))
    return VolumeBindingArgs(timeout, read_field(args, "shape", read_shape) if args.get("shape") else LEAST_USED)


def _read_dynamic_resources(args: Mapping[str, object], version: Version) -> DynamicResourcesArgs:
    filtering = read_field(args, "filterTimeout", _timeout(0, default=10 * SECOND))
    if version >= (1, 36):
        return DynamicResourcesArgs(
            filtering, read_field(args, "bindingTimeout", _timeout(SECOND, default=600 * SECOND))
        )
    if args.get("bindingTimeout") is not None:
        raise InputError("is not in use before Kubernetes 1.36, expected no such field", path="bindingTimeout")
    return DynamicResourcesArgs(filtering, None)


def _timeout(low: Nanoseconds, default: Nanoseconds) -> Callable[[object], Nanoseconds]:
    def read(raw: object) -> Nanoseconds:
        timeout = read_duration(raw)
        if timeout is not None and timeout < low:
            raise InputError(f"{raw!r} is too short, expected {low // SECOND}s or more")
        return default if timeout is None else timeout

    return read


_READERS: Mapping[str, tuple[tuple[str, ...], Callable[[Mapping[str, object], Version], PluginArgs]]] = {
    "DefaultPreemption": (("minCandidateNodesPercentage", "minCandidateNodesAbsolute"), _read_preemption),
    "DynamicResources": (("filterTimeout", "bindingTimeout"), _read_dynamic_resources),
    "InterPodAffinity": (
        ("hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"),
        _read_inter_pod_affinity,
    ),
    "NodeAffinity": (("addedAffinity",), _read_added_affinity),
    "NodeResourcesBalancedAllocation": (("resources",), read_balanced_allocation),
    "NodeResourcesFit": (("ignoredResources", "ignoredResourceGroups", "scoringStrategy"), read_fit),
    "PodTopologySpread": (("defaultConstraints", "defaultingType"), _read_spread),
    "VolumeBinding": (("bindTimeoutSeconds", "shape"), _read_volume_binding),
}
