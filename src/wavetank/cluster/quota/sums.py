"""Sums of requests and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.quota.amount import Amount, add, largest, parse_amounts

_OF_PODS = ("cpu", "memory", "hugepages-")  # what a pod as a whole may state


def pod_amounts(spec: Mapping[str, Any], part: str) -> dict[str, Amount]:
    """Returns what a pod requests, or its limits: its containers together, or the largest init container."""
    own = parse_amounts((spec.get("resources") or {}).get(part))
    return {**container_amounts(spec, part), **{name: own[name] for name in own if name.startswith(_OF_PODS)}}


def container_amounts(spec: Mapping[str, Any], part: str) -> dict[str, Amount]:
    """Returns what the containers of a pod request together, or their limits, whatever the pod as a whole states."""
    total: dict[str, Amount] = {}
    for container in spec.get("containers") or ():
        total = add(total, _of(container, part))
    beside: dict[str, Amount] = {}
    starting: dict[str, Amount] = {}
    for container in spec.get("initContainers") or ():
        own = _of(container, part)
        if container.get("restartPolicy") == "Always":
            total, beside = add(total, own), add(beside, own)
            starting = largest(starting, beside)
        else:
            starting = largest(starting, add(own, beside))
    return largest(total, starting)


def _of(container: Mapping[str, Any], part: str) -> dict[str, Amount]:
    return parse_amounts((container.get("resources") or {}).get(part))
