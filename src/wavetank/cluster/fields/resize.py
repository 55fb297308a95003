"""Pods that are resized in place: what their containers hold on the node until it is done."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from wavetank.cluster.fields.resources import parse_amounts

Quantities = Mapping[str, Any]


def held_by_containers(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a pod spec with each request at the most of what is asked for, allocated and actually held.

    A resize that the node found infeasible does not count. The same spec is returned where the status knows nothing.
    """
    known = {
        each.get("name"): _known(each)
        for field in ("containerStatuses", "initContainerStatuses")
        for each in status.get(field) or ()
        if isinstance(each, Mapping) and isinstance(each.get("resources"), Mapping)
    }
    if not known:
        return spec
    hold = partial(_hold, known=known, asked_counts=not _is_infeasible(status))
    sidecars = [
        hold(each) if each.get("restartPolicy") == "Always" else each for each in spec.get("initContainers") or ()
    ]
    return {**spec, "containers": [hold(each) for each in spec["containers"]], "initContainers": sidecars}


def _known(status: Mapping[str, Any]) -> list[Quantities]:
    return [status["resources"].get("requests") or {}, status.get("allocatedResources") or {}]


def _hold(
    container: Mapping[str, Any], known: Mapping[object, list[Quantities]], asked_counts: bool
) -> Mapping[str, Any]:
    held = known.get(container.get("name"))
    if held is None:
        return container
    resources = container.get("resources") or {}
    asked = resources.get("requests") or {}
    requests = _most([asked, *held] if asked_counts else held)
    return {**container, "resources": {**resources, "requests": requests}}


def _most(lists: list[Quantities]) -> Quantities:
    most: dict[str, Any] = {}
    for quantities in lists:
        amounts, so_far = parse_amounts(quantities, path="status"), parse_amounts(most)
        most.update({name: quantities[name] for name, amount in amounts.items() if amount >= so_far.get(name, 0)})
    return most


def _is_infeasible(status: Mapping[str, Any]) -> bool:
    return any(
        condition.get("type") == "PodResizePending" and condition.get("reason") == "Infeasible"
        for condition in status.get("conditions") or ()
    )
