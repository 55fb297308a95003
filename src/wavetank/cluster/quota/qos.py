from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.errors import InputError
from wavetank.quantity import parse_quantity

_COUNTED = ("cpu", "memory")


def quality_of_service(spec: Mapping[str, Any]) -> str:
    """Returns the class of a pod: Guaranteed, Burstable or BestEffort."""
    whole = spec.get("resources") or {}
    if whole.get("requests") or whole.get("limits"):
        owners = [whole]
    else:
        containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
        owners = [container.get("resources") or {} for container in containers]
    requests = [_positive(owner.get("requests")) for owner in owners]
    limits = [_positive(owner.get("limits")) for owner in owners]
    if not any(requests) and not any(limits):
        return "BestEffort"
    full = all(set(amounts) == set(_COUNTED) for amounts in limits)
    return "Guaranteed" if full and _total(requests) == _total(limits) else "Burstable"


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


def _total(owners: list[dict[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {}
    for amounts in owners:
        for name, amount in amounts.items():
            total[name] = total.get(name, 0) + amount
    return total
