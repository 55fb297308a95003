"""Amounts of resources, and what a whole pod asks for.

Amounts are exact integers in the scheduler's own units: CPU in milli-CPU, everything else in whole bytes or counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.errors import InputError
from wavetank.quantity import format_bytes, format_milli, milli, whole

Amounts = Mapping[str, int]

CPU = "cpu"
MEMORY = "memory"
EPHEMERAL_STORAGE = "ephemeral-storage"
PODS = "pods"

# What scoring assumes of a container that does not say what it needs.
DEFAULT_NONZERO: Amounts = {CPU: 100, MEMORY: 200 * 1024 * 1024}


def parse_amounts(quantities: Mapping[str, Any] | None, *, path: str = "") -> dict[str, int]:
    """Reads a ResourceList such as {cpu: 500m, memory: 1Gi}; negative amounts are an InputError."""
    amounts = {}
    for name, quantity in (quantities or {}).items():
        try:
            amount = milli(quantity) if name == CPU else whole(quantity)
            if amount < 0:
                raise InputError(f"an amount cannot be negative: {quantity!r}")
        except InputError as error:
            raise error.inside(path=f"{path}.{name}" if path else str(name)) from None
        amounts[str(name)] = amount
    return amounts


def format_amounts(amounts: Amounts) -> dict[str, str]:
    """Writes amounts as a ResourceList."""
    return {name: _format(name, amount) for name, amount in amounts.items()}


def pod_requests(spec: Mapping[str, Any], *, nonzero: bool = False, pod_level: bool = True) -> dict[str, int]:
    """Adds up what a pod spec requests, as component-helpers' PodRequests does.

    Containers sum up; an init container needs the maximum over its turn, together with the sidecars started
    before it; sidecars (restartable init containers) also add to the containers; `resources` of the pod itself
    replaces the sum for what it names; overhead comes on top. `nonzero` counts 100m and 200Mi for each container
    that leaves CPU or memory open, as scoring does; with `resources` of the pod itself, only if none requests it.
    """
    of_pod = _pod_level_requests(spec) if pod_level else {}
    total = _container_requests(spec, _defaults(spec, of_pod) if nonzero else {})
    total.update(of_pod)
    for name, amount in parse_amounts(spec.get("overhead"), path="spec.overhead").items():
        total[name] = total.get(name, 0) + amount
    return total


def is_pod_level(name: str) -> bool:
    """Returns whether a pod's own `resources` may name this resource."""
    return name in (CPU, MEMORY) or name.startswith("hugepages-")


def _defaults(spec: Mapping[str, Any], of_pod: Amounts) -> Amounts:
    if not of_pod:
        return DEFAULT_NONZERO
    stated = pod_requests(spec)
    return {name: amount for name, amount in DEFAULT_NONZERO.items() if not stated.get(name)}


def _pod_level_requests(spec: Mapping[str, Any]) -> dict[str, int]:
    """Returns what the pod's own `resources` asks for, completed as the API server does where it states limits."""
    limits, requests = _limits_and_requests(spec, "spec")
    if limits:
        of_containers = _container_requests(spec, {})
        open_to_containers = {name: of_containers[name] for name in (CPU, MEMORY) if name in of_containers}
        requests = {**limits, **open_to_containers, **requests}
    return {name: amount for name, amount in requests.items() if is_pod_level(name)}


def _container_requests(spec: Mapping[str, Any], defaults: Amounts) -> dict[str, int]:
    total: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for i, container in enumerate(spec.get("containers") or ()):
        _add(total, _of_container(container, f"spec.containers[{i}]", defaults))
    for i, container in enumerate(spec.get("initContainers") or ()):
        requests = _of_container(container, f"spec.initContainers[{i}]", defaults)
        if container.get("restartPolicy") == "Always":
            _add(total, requests)
            _add(sidecars, requests)
            _raise_to(peak, sidecars)
        else:
            _add(requests, sidecars)
            _raise_to(peak, requests)
    _raise_to(total, peak)
    return total


def _of_container(container: Mapping[str, Any], path: str, defaults: Amounts) -> dict[str, int]:
    limits, stated = _limits_and_requests(container, path)
    return {**defaults, **limits, **stated}  # the API server fills a missing request with the limit


def _limits_and_requests(holder: Mapping[str, Any], path: str) -> tuple[dict[str, int], dict[str, int]]:
    resources = holder.get("resources") or {}
    if not isinstance(resources, Mapping):
        raise InputError(f"expected a mapping with requests and limits, got {resources!r}", path=f"{path}.resources")
    limits = parse_amounts(resources.get("limits"), path=f"{path}.resources.limits")
    return limits, parse_amounts(resources.get("requests"), path=f"{path}.resources.requests")


def _add(total: dict[str, int], amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _raise_to(total: dict[str, int], amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = max(total.get(name, 0), amount)


def _format(name: str, amount: int) -> str:
    if name == CPU:
        return format_milli(amount)
    return format_bytes(amount) if name in (MEMORY, EPHEMERAL_STORAGE) else str(amount)
