"""Policies that come with wavetank: one file each in the room `policies`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from wavetank.scheduling.config import Version, default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.named.scheduler import NamedScheduler
from wavetank.scheduling.policies.anynode import AnyNode
from wavetank.scheduling.policies.fit import BestFit, FirstFit, WorstFit

_POLICIES: dict[str, type] = {
    "random": AnyNode,
    "first-fit": FirstFit,
    "best-fit": BestFit,
    "worst-fit": WorstFit,
}


def policies() -> Iterator[NamedScheduler]:
    """Yields the policies; the filters of the default profile hold for them."""
    for name, policy in _POLICIES.items():
        line = (policy.__doc__ or "").partition("\n")[0].rstrip(".")
        yield NamedScheduler(name, "policy", line, "wavetank", partial(_make, policy, line))


def _make(policy: type, description: str, name: str, version: Version, args: Mapping[str, Any]) -> SchedulerDefinition:
    return SchedulerDefinition(name, description, default_configuration(version), policy, args)
