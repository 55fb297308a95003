"""Lower requests of a pod."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY, format_amounts, parse_amounts

_MI = 1024 * 1024
_MAY_BE_EXCEEDED = (CPU, MEMORY, EPHEMERAL_STORAGE)  # of other resources the request is the limit


def unit_of(resource: str) -> int:
    """Returns the step in which a request is lowered: 1m of a CPU, 1Mi, or 1."""
    return _MI if resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith("hugepages-") else 1


def rounded(resource: str, amount: int) -> int:
    """Returns the largest amount of whole steps that is not above this one."""
    return amount // unit_of(resource) * unit_of(resource)


def lower_request(spec: dict[str, Any], resource: str, amount: int) -> None:
    """Lowers the request of a whole pod to an amount: its own request, or those of its containers, the largest first.

    Init containers are lowered as well, so that none asks for more than is left.
    """
    amount -= parse_amounts(spec.get("overhead")).get(resource, 0)
    if resource in ((spec.get("resources") or {}).get("requests") or {}):
        _set(spec, resource, amount)
        return
    first = spec.get("initContainers") or ()
    sidecars = [each for each in first if each.get("restartPolicy") == "Always"]
    left = amount - _total(sidecars, resource)
    excess = _total(spec["containers"], resource) - left
    for container in sorted(spec["containers"], key=lambda each: -_request(each, resource)):
        cut = min(max(excess, 0), _request(container, resource))
        excess -= cut
        if cut:
            _set(container, resource, _request(container, resource) - cut)
    for container in first:
        if container not in sidecars and _request(container, resource) > left:
            _set(container, resource, max(left, 0))


def _total(containers: Iterable[Mapping[str, Any]], resource: str) -> int:
    return sum(_request(container, resource) for container in containers)


def _request(holder: Mapping[str, Any], resource: str) -> int:
    """Returns a container's request, which is its limit if it states none."""
    resources = holder.get("resources") or {}
    stated = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return parse_amounts({resource: stated[resource]})[resource] if resource in stated else 0


def _set(holder: dict[str, Any], resource: str, amount: int) -> None:
    resources = dict(holder.get("resources") or {})
    fields = ("requests",) if resource in _MAY_BE_EXCEEDED else ("requests", "limits")
    quantity = format_amounts({resource: amount})
    holder["resources"] = resources | {field: {**(resources.get(field) or {}), **quantity} for field in fields}
