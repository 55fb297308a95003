"""Topology spread constraints, compiled from a pod's spec or a profile's defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.errors import InputError


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """How evenly pods shall be spread over the domains of a topology.

    `hard` is DoNotSchedule. `match_label_keys` are labels of the pod whose values join the selector.
    """

    max_skew: int
    topology_key: str
    hard: bool
    selector: LabelSelector
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False
    match_label_keys: tuple[str, ...] = ()


def parse_spread(raw: Sequence[Mapping[str, Any]] | None, path: str) -> tuple[SpreadConstraint, ...]:
    """Reads topologySpreadConstraints."""
    return tuple(_constraint(item, f"{path}[{i}]") for i, item in enumerate(raw or ()))


def _constraint(raw: Mapping[str, Any], path: str) -> SpreadConstraint:
    action = raw.get("whenUnsatisfiable", "DoNotSchedule")
    if action not in ("DoNotSchedule", "ScheduleAnyway"):
        expected = f"expected DoNotSchedule or ScheduleAnyway, got {action!r:.60}"
        raise InputError(expected, path=f"{path}.whenUnsatisfiable")
    key = raw.get("topologyKey")
    if not isinstance(key, str) or not key:
        raise InputError("a constraint needs its topologyKey", path=path)
    return SpreadConstraint(
        max_skew=int(raw.get("maxSkew", 1)),
        topology_key=key,
        hard=action == "DoNotSchedule",
        selector=LabelSelector.parse(raw.get("labelSelector"), path=f"{path}.labelSelector"),
        min_domains=int(raw.get("minDomains") or 1),
        honors_affinity=raw.get("nodeAffinityPolicy", "Honor") == "Honor",
        honors_taints=raw.get("nodeTaintsPolicy", "Ignore") == "Honor",
        match_label_keys=tuple(raw.get("matchLabelKeys") or ()),
    )
