"""The flags of the cluster autoscaler that are honoured; others are refused by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.words import did_you_mean

EXPANDERS = ("random", "most-pods", "least-waste", "least-nodes", "priority", "price")

_MINUTE = 60 * SECOND
_GIB = 1 << 30
_ANNOTATION = "cluster.x-k8s.io/autoscaling-options-"


@dataclass(frozen=True, slots=True)
class GroupOptions:
    """Settings that a node group may override by annotations; times in nanoseconds."""

    scale_down_unneeded_time: Nanoseconds = 10 * _MINUTE
    scale_down_unready_time: Nanoseconds = 20 * _MINUTE
    scale_down_utilization_threshold: float = 0.5
    max_node_provision_time: Nanoseconds = 15 * _MINUTE
    max_node_startup_time: Nanoseconds = 15 * _MINUTE
    ignore_daemonsets_utilization: bool = False

    def overridden(self, annotations: Mapping[str, str]) -> GroupOptions:
        """Returns the settings of a group with these annotations; values that cannot be read are ignored."""
        found: dict[str, Any] = {}
        for field in fields(self):
            text = annotations.get(_ANNOTATION + field.name.replace("_", ""))
            if text is None or field.name == "ignore_daemonsets_utilization":
                continue
            try:
                found[field.name] = _READERS[field.name.replace("_", "-")](text, "")
            except InputError:
                continue
        return replace(self, **found) if found else self


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the most of a resource in the whole cluster."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Options:
    """All settings, named as the flags; times in nanoseconds, memory in bytes."""

    group: GroupOptions = GroupOptions()
    scan_interval: Nanoseconds = 10 * SECOND
    frequent_loops_enabled: bool = True
    expander: tuple[str, ...] = ("least-waste",)
    scale_up_from_zero: bool = True
    enforce_node_group_min_size: bool = False
    max_nodes_total: int = 0
    cores_total: Range = Range(0, 320_000)
    memory_total: Range = Range(0, 6_400_000 * _GIB)
    max_nodes_per_scaleup: int = 1000
    balance_similar_node_groups: bool = False
    balancing_ignore_label: tuple[str, ...] = ()
    balancing_label: tuple[str, ...] = ()
    memory_difference_ratio: float = 0.015
    max_free_difference_ratio: float = 0.05
    max_allocatable_difference_ratio: float = 0.05
    new_pod_scale_up_delay: Nanoseconds = 0
    expendable_pods_priority_cutoff: int = -10
    ok_total_unready_count: int = 3
    max_total_unready_percentage: float = 45.0
    initial_node_group_backoff_duration: Nanoseconds = 5 * _MINUTE
    max_node_group_backoff_duration: Nanoseconds = 30 * _MINUTE
    node_group_backoff_reset_timeout: Nanoseconds = 180 * _MINUTE
    scale_down_enabled: bool = True
    scale_down_unready_enabled: bool = True
    scale_down_delay_after_add: Nanoseconds = 10 * _MINUTE
    scale_down_delay_after_delete: Nanoseconds = 0
    scale_down_delay_after_failure: Nanoseconds = 3 * _MINUTE
    scale_down_delay_type_local: bool = False
    unremovable_node_recheck_timeout: Nanoseconds = 5 * _MINUTE
    max_scale_down_parallelism: int = 10
    max_drain_parallelism: int = 1
    max_bulk_soft_taint_count: int = 10
    node_delete_delay_after_taint: Nanoseconds = 5 * SECOND
    max_graceful_termination_sec: int = 600
    max_pod_eviction_time: Nanoseconds = 2 * _MINUTE
    daemonset_eviction_for_empty_nodes: bool = False
    daemonset_eviction_for_occupied_nodes: bool = True
    cordon_node_before_terminating: bool = True
    skip_nodes_with_system_pods: bool = True
    skip_nodes_with_local_storage: bool = True
    skip_nodes_with_custom_controller_pods: bool = True
    min_replica_count: int = 0
    blocking_system_pod_distruption_timeout: Nanoseconds = 60 * _MINUTE  # spelled as the flag is
    namespace: str = "kube-system"
    status_config_map_name: str = "cluster-autoscaler-status"
    write_status_configmap: bool = True

    @classmethod
    def from_flags(cls, flags: Mapping[str, object], path: str = "") -> Options:
        """Reads flags by their names without dashes; InputError for one that is not honoured or cannot be read."""
        given: dict[str, Any] = {}
        group: dict[str, Any] = {}
        of_group = {field.name for field in fields(GroupOptions)}
        for flag, value in flags.items():
            where = f"{path}.{flag}" if path else flag
            if flag not in _READERS:
                hint = did_you_mean(flag, _READERS)
                raise InputError(f"the flag {flag!r} of cluster-autoscaler is not honoured{hint}", path=where)
            name = flag.replace("-", "_")
            (group if name in of_group else given)[name] = _READERS[flag](value, where)
        return cls(group=GroupOptions(**group), **given)


_Reader = Callable[[object, str], Any]


def _read_duration(value: object, path: str) -> Nanoseconds:
    return parse_duration(value, path=path)


def _read_interval(value: object, path: str) -> Nanoseconds:
    interval = parse_duration(value, path=path)
    if interval <= 0:
        raise InputError("expected more than 0", path=path)
    return interval


def _read_bool(value: object, path: str) -> bool:
    text = str(value).lower()
    if text not in ("true", "false"):
        raise InputError(f"expected true or false, got {value!r:.60}", path=path)
    return text == "true"


def _read_int(value: object, path: str) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise InputError(f"expected a whole number, got {value!r:.60}", path=path) from None


def _read_count(value: object, path: str) -> int:
    number = _read_int(value, path)
    if number < 0:
        raise InputError(f"expected a whole number of 0 or more, got {value!r:.60}", path=path)
    return number


def _read_float(value: object, path: str) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = -1.0
    if not number >= 0:
        raise InputError(f"expected a number of 0 or more, got {value!r:.60}", path=path)
    return number


def _read_words(value: object, path: str) -> tuple[str, ...]:
    words = value if isinstance(value, list) else str(value).split(",")
    return tuple(str(word).strip() for word in words if str(word).strip())


def _read_expanders(value: object, path: str) -> tuple[str, ...]:
    names = _read_words(value, path)
    for name in names:
        if name not in EXPANDERS:
            raise InputError(f"unknown expander {name!r}: expected some of {', '.join(EXPANDERS)}", path=path)
    if not names or len(set(names)) < len(names):
        raise InputError(f"expected different expanders, got {value!r:.60}", path=path)
    return names


def _read_range(value: object, path: str) -> Range:
    least, colon, most = str(value).partition(":")
    if not (colon and least.isdigit() and most.isdigit() and int(least) <= int(most)):
        raise InputError(f"expected LEAST:MOST, got {value!r:.60}", path=path)
    return Range(int(least), int(most))


def _read_memory(value: object, path: str) -> Range:
    gibibytes = _read_range(value, path)
    return Range(gibibytes.least * _GIB, gibibytes.most * _GIB)


def _read_text(value: object, path: str) -> str:
    return str(value)


_BY_TYPE: dict[str, _Reader] = {
    "Nanoseconds": _read_duration,
    "bool": _read_bool,
    "int": _read_count,
    "float": _read_float,
    "str": _read_text,
    "tuple[str, ...]": _read_words,
}
_SPECIAL: dict[str, _Reader] = {
    "scan-interval": _read_interval,
    "expander": _read_expanders,
    "expendable-pods-priority-cutoff": _read_int,
    "cores-total": _read_range,
    "memory-total": _read_memory,
}
_READERS: dict[str, _Reader] = {
    field.name.replace("_", "-"): _SPECIAL.get(field.name.replace("_", "-")) or _BY_TYPE[str(field.type)]
    for owner in (Options, GroupOptions)
    for field in fields(owner)
    if field.name != "group"
}
