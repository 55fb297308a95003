"""Pods that are resized in place: what their containers hold on the node until it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.resources import parse_amounts

Quantities = Mapping[str, Any]


def held_by_containers(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a pod spec with each request at the most of what is asked for, allocated and actually held.

    A resize that the node found infeasible does not count. The same spec is returned where the status knows nothing.
    """
    statuses = {
        each.get("name"): each
        for field in ("containerStatuses", "initContainerStatuses")
        for each in status.get(field) or ()
        if each.get("resources") is not None
    }
    if not statuses:
        return spec
    asked_counts = not _is_infeasible(status)
    return {**spec, **{field: _held(spec, field, statuses, asked_counts) for field in _FIELDS if spec.get(field)}}


_FIELDS = ("containers", "initContainers")


def _held(
    spec: Mapping[str, Any], field: str, statuses: Mapping[Any, Mapping[str, Any]], asked_counts: bool
) -> list[Mapping[str, Any]]:
    held = []
    for container in spec[field]:
        status = statuses.get(container.get("name"))
        is_resizable = field == "containers" or container.get("restartPolicy") == "Always"
        if status is None or not is_resizable:
            held.append(container)
            continue
        resources = container.get("resources") or {}
        known = [status["resources"].get("requests") or {}, status.get("allocatedResources") or {}]
        requests = _most([resources.get("requests") or {}, *known] if asked_counts else known)
        held.append({**container, "resources": {**resources, "requests": requests}})
    return held


def _most(lists: list[Quantities]) -> Quantities:
    names = dict.fromkeys(name for quantities in lists for name in quantities)
    return {
        name: max(
            (quantities[name] for quantities in lists if name in quantities),
            key=lambda quantity: parse_amounts({name: quantity})[name],
        )
        for name in names
    }


def _is_infeasible(status: Mapping[str, Any]) -> bool:
    return any(
        condition.get("type") == "PodResizePending" and condition.get("reason") == "Infeasible"
        for condition in status.get("conditions") or ()
    )
