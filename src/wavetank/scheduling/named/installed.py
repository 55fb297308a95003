"""Schedulers of other people's packages, found by their entry points in the group `wavetank.schedulers`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.named.scheduler import NamedScheduler
from wavetank.scheduling.policy import build_policy

GROUP = "wavetank.schedulers"


def installed_policies() -> Iterator[NamedScheduler]:
    """Yields the policies of installed packages; one that cannot be imported is listed with the reason."""
    for point in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        package = point.dist.name if point.dist is not None else point.module
        yield NamedScheduler(point.name, "installed", _line(point), package, partial(_make, point))


def _line(point: EntryPoint) -> str:
    try:
        return _first_line(_policy(point))
    except InputError as error:
        return str(error)


def _policy(point: EntryPoint) -> type:
    try:
        found = point.load()
    except Exception as error:
        raise InputError(f"{point.value} cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(found, type):
        raise InputError(f"{point.value} is not a class")
    return found


def _first_line(policy: type) -> str:
    return (policy.__doc__ or "").strip().partition("\n")[0].rstrip(".") or f"the policy {policy.__name__}"


def _make(point: EntryPoint, name: str, version: Version, args: Mapping[str, Any]) -> SchedulerDefinition:
    policy = _policy(point)
    build_policy(policy, args)  # finds wrong arguments before any run begins
    return SchedulerDefinition(name, _first_line(policy), default_configuration(version), policy, args)
