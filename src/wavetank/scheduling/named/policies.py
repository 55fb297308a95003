"""Policies that come with wavetank: one file each in the package `policies`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.named.scheduler import NamedScheduler
from wavetank.scheduling.policies.fit import BestFit, FirstFit, WorstFit
from wavetank.scheduling.policies.randomfit import RandomFit
from wavetank.scheduling.policies.roundrobin import RoundRobin
from wavetank.scheduling.policies.topsis.policy import Topsis
from wavetank.scheduling.policy import build_policy

_POLICIES: dict[str, type] = {
    "random-fit": RandomFit,
    "round-robin": RoundRobin,
    "first-fit": FirstFit,
    "best-fit": BestFit,
    "worst-fit": WorstFit,
    "topsis": Topsis,
}


def policies() -> Iterator[NamedScheduler]:
    """Yields the policies; the filters of the default profile hold for them."""
    for name, policy in _POLICIES.items():
        line = (policy.__doc__ or "").partition("\n")[0].rstrip(".")
        yield NamedScheduler(name, "policy", line, "wavetank", partial(_make, policy, line))


def _make(policy: type, description: str, name: str, version: Version, args: Mapping[str, Any]) -> SchedulerDefinition:
    build_policy(policy, args)  # finds wrong arguments before any run begins
    return SchedulerDefinition(name, description, default_configuration(version), policy, args)
