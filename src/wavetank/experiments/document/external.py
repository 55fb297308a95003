"""External schedulers among the schedulers of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wavetank.batchoperator.esi.policy.definition import ExternalDefinition, build_external
from wavetank.cluster.releases import Version
from wavetank.scheduling.attachable import Attachable
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.simulation.batchoperator import scheduler_configuration


def define_external(
    name: str, description: str, policy: type, args: Mapping[str, Any], version: Version
) -> ExternalDefinition:
    """Returns an external scheduler, with the built-in kube-scheduler and the operator's extender."""
    build_external(policy, args)
    return ExternalDefinition(SchedulerDefinition(name, description, scheduler_configuration(version)), policy, args)


def with_scheduler_name(
    schedulers: Sequence[Attachable], scheduler_name: str, version: Version
) -> tuple[Attachable, ...]:
    """Returns schedulers of which external ones place pods with the operator's schedulerName."""
    configuration = scheduler_configuration(version, scheduler_name)
    return tuple(
        replace(each, scheduler=replace(each.scheduler, configuration=configuration))
        if isinstance(each, ExternalDefinition)
        else each
        for each in schedulers
    )
