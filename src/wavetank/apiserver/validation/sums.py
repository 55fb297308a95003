"""Sums of requests and limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from wavetank.apiserver.validation.quantities import value_of
from wavetank.cluster.quantity import format_bytes, format_milli, milli, whole

_IN_BYTES = ("memory", "storage", "hugepages-")


def pod_amounts(spec: Mapping[str, Any], part: str) -> dict[str, str]:
    """Returns what a pod requests, or its limits: its containers together, or the largest init container."""
    total: dict[str, str] = {}
    for container in spec.get("containers") or ():
        total = add(total, _of(container, part))
    beside: dict[str, str] = {}
    starting: dict[str, str] = {}
    for container in spec.get("initContainers") or ():
        own = _of(container, part)
        if container.get("restartPolicy") == "Always":
            total, beside = add(total, own), add(beside, own)
            starting = _largest(starting, beside)
        else:
            starting = _largest(starting, add(own, beside))
    total = _largest(total, starting)
    return {**total, **((spec.get("resources") or {}).get(part) or {})}


def container_amounts(spec: Mapping[str, Any], part: str) -> dict[str, str]:
    """Returns what the containers of a pod request together, or their limits, whatever the pod as a whole states."""
    return pod_amounts({**spec, "resources": None}, part)


def add(amounts: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Returns the sums."""
    total = dict(amounts)
    for name, amount in others.items():
        total[name] = written(name, value_of(total[name]) + value_of(amount)) if name in total else amount
    return total


def written(name: str, value: Fraction) -> str:
    """Writes an amount of a resource in its canonical form."""
    in_bytes = any(word in name for word in _IN_BYTES)
    if in_bytes and value.denominator == 1:
        return format_bytes(whole(int(value)))
    return format_milli(milli(float(value)) if value.denominator > 1000 else int(value * 1000))


def _of(container: Mapping[str, Any], part: str) -> dict[str, str]:
    return (container.get("resources") or {}).get(part) or {}


def _largest(amounts: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    names: Iterable[str] = {**amounts, **others}
    return {name: max(amounts.get(name, "0"), others.get(name, "0"), key=value_of) for name in names}
