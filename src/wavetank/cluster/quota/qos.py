from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from wavetank.errors import InputError
from wavetank.quantity import parse_quantity

_COUNTED = ("cpu", "memory")


def quality_of_service(spec: Mapping[str, Any]) -> str:
    """Returns the class of a pod: Guaranteed, Burstable or BestEffort."""
    whole = spec.get("resources") or {}
    owners: Iterator[Mapping[str, Any]]
    if whole.get("requests") or whole.get("limits"):
        owners = iter([whole])
    else:
        containers = chain(spec.get("containers") or (), spec.get("initContainers") or ())
        owners = (container.get("resources") or {} for container in containers)
    requests: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    is_full = True
    for owner in owners:
        limited = _positive(owner.get("limits"))
        is_full = is_full and len(limited) == len(_COUNTED)
        _add(requests, _positive(owner.get("requests")))
        _add(limits, limited)
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if is_full and requests == limits else "Burstable"


def _add(total: dict[str, Any], amounts: dict[str, Any]) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _positive(amounts: dict[str, str] | None) -> dict[str, Any]:
    found = {}
    for name in _COUNTED:
        if name in (amounts or {}):
            amount = _value((amounts or {})[name])
            if amount > 0:
                found[name] = amount
    return found


def _value(amount: str) -> Any:
    try:
        return parse_quantity(amount)
    except InputError:  # a suffix without a number, which Kubernetes reads as zero
        return 0
