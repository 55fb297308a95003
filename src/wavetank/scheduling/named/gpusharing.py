"""Policies that allocate GPUs device by device, and parts of devices: the package `gpusharing`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.gpusharing.policies.anygpu import Random
from wavetank.scheduling.gpusharing.policies.bestfit import BestFit
from wavetank.scheduling.gpusharing.policies.dotprod import DotProd
from wavetank.scheduling.gpusharing.policies.fgd import FGD
from wavetank.scheduling.gpusharing.policies.gpuclustering import GpuClustering
from wavetank.scheduling.gpusharing.policies.gpupacking import GpuPacking
from wavetank.scheduling.gpusharing.policy import GpuPolicy
from wavetank.scheduling.named.scheduler import NamedScheduler

_POLICIES: tuple[type[GpuPolicy], ...] = (Random, DotProd, GpuClustering, GpuPacking, BestFit, FGD)
_SOURCE = "Weng et al., USENIX ATC 2023"


def gpu_policies() -> Iterator[NamedScheduler]:
    """Yields the policies; the filters of the default profile hold for them."""
    for policy in _POLICIES:
        line = (policy.__doc__ or "").partition("\n")[0].rstrip(".")
        yield NamedScheduler(policy.__name__, "GPU sharing", line, _SOURCE, partial(_make, policy, line))


def _make(
    policy: type[GpuPolicy], description: str, name: str, version: Version, args: Mapping[str, Any]
) -> SchedulerDefinition:
    if args:
        raise InputError(f"{policy.__name__} takes no arguments", path="args")
    return SchedulerDefinition(name, description, default_configuration(version), policy)
