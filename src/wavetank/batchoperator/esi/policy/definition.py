from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.batchoperator.esi.inprocess import interface_of
from wavetank.batchoperator.esi.policy.policy import METHODS, is_external
from wavetank.batchoperator.esi.policy.runner import PolicyRunner
from wavetank.batchoperator.resources.groups import ESI
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION
from wavetank.errors import InputError
from wavetank.scheduling.attachable import DEFAULT_OPTIONS, Attached, SchedulerOptions
from wavetank.scheduling.definition import SchedulerDefinition


def build_external(policy: type, args: Mapping[str, Any]) -> Any:
    """Makes an instance of an external scheduler; InputError if the class does not take these arguments."""
    if not is_external(policy):
        raise InputError(f"{policy.__name__} is not an external scheduler: it has none of {', '.join(METHODS)}")
    try:
        return policy(**args)
    except Exception as error:
        raise InputError(f"{policy.__name__} cannot be created: {type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class ExternalDefinition:
    """An external scheduler for a run with the batch operator, with the scheduler that places pods into slots."""

    scheduler: SchedulerDefinition  # with the operator's extender
    policy: type
    args: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Returns what it is called in results."""
        return self.scheduler.name

    @property
    def description(self) -> str:
        """Returns a line that describes it."""
        return self.scheduler.description

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that its scheduler is responsible for."""
        return self.scheduler.scheduler_names

    def renamed(self, scheduler_name: str) -> ExternalDefinition:
        """It cannot be renamed: the operator gives pods the name of its scheduler."""
        raise InputError("an external scheduler has the schedulerNames of its operator")

    def notes(self) -> list[str]:
        """Returns the notes of its scheduler."""
        return self.scheduler.notes()

    def is_portable(self) -> bool:
        """Returns whether it can be sent to another process: a class defined in a notebook cannot."""
        return self.policy.__module__ != "__main__"

    def attach(self, context: ActorContext, options: SchedulerOptions = DEFAULT_OPTIONS) -> Attached:
        """Starts it on a cluster; InputError if its batch operator has not been started."""
        installed = {each.name for each in context.store.list(CUSTOM_RESOURCE_DEFINITION)}
        if f"schedulings.{ESI.name}" not in installed:
            raise InputError(f"scheduler {self.name}: an external scheduler needs an `operator` in the experiment")
        attached = self.scheduler.attach(context, options)
        policy = build_external(self.policy, self.args)
        policy.random = context.streams.stream(f"policy/{self.name}")
        policy.now = lambda: context.clock.now
        PolicyRunner(interface_of(context.store), context.clock, self.name, policy)
        return attached
