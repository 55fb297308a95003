"""Tolerations that the controller adds to daemon pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NODE = "node.kubernetes.io"
_TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)
_OF_HOST_NETWORK = ("network-unavailable", "NoSchedule")
_IDENTITY = ("key", "operator", "value", "effect")


def with_daemon_tolerations(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a pod's spec with the tolerations of daemon pods; one that the spec has already keeps its position."""
    tolerated = (*_TOLERATED, _OF_HOST_NETWORK) if spec.get("hostNetwork") else _TOLERATED
    tolerations = list(spec.get("tolerations") or ())
    for name, effect in tolerated:
        added = {"key": f"{_NODE}/{name}", "operator": "Exists", "effect": effect}
        same = [i for i, given in enumerate(tolerations) if _identity(given) == _identity(added)]
        if same:
            tolerations[same[0]] = added
        else:
            tolerations.append(added)
    return {**spec, "tolerations": tolerations}


def _identity(toleration: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(toleration.get(field) or None for field in _IDENTITY)
