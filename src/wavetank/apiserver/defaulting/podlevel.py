"""Requests and limits of a pod as a whole, where the pod states some of them."""

from __future__ import annotations

from collections.abc import Iterable

from wavetank.apiserver.defaulting.fields import Document, optional
from wavetank.quantity import format_bytes, format_milli, milli, whole

_PAGES = "hugepages-"


def default_pod_level(spec: Document, containers: list[Document]) -> None:
    """Completes spec.resources: limits of huge pages and then requests, from the containers or from the limits."""
    resources = spec["resources"]
    limits, requests = dict(optional(resources, "limits")), dict(optional(resources, "requests"))
    if not limits and not requests:
        return
    for name, amount in _total(containers, "limits").items():
        if name.startswith(_PAGES) and name not in requests:
            limits.setdefault(name, amount)
    if limits:
        resources["limits"] = limits
        _default_requests(resources, limits, requests, containers)


def _default_requests(resources: Document, limits: Document, requests: Document, containers: list[Document]) -> None:
    for name, amount in _total(containers, "requests").items():
        if name in ("cpu", "memory"):
            requests.setdefault(name, amount)
    for name, limit in limits.items():
        if name in ("cpu", "memory") or name.startswith(_PAGES):
            requests.setdefault(name, limit)
    if requests:
        resources["requests"] = requests


def _total(containers: Iterable[Document], part: str) -> dict[str, str]:
    amounts: dict[str, list[str]] = {}
    for container in containers:
        for name, amount in optional(container, "resources", part).items():
            amounts.setdefault(name, []).append(amount)
    return {name: _sum(name, values) for name, values in amounts.items()}


def _sum(name: str, amounts: list[str]) -> str:
    if len(amounts) == 1:
        return amounts[0]
    if name == "cpu":
        return format_milli(sum(milli(amount) for amount in amounts))
    return format_bytes(sum(whole(amount) for amount in amounts))
