"""What all schedulers have in common: how they are named, described and attached to a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.extenders.extenders import ExtenderClient
from wavetank.scheduling.framework.heavywork import Beside
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.scheduling.scheduler.scheduler import Explain

TieBreaking = Literal["random", "exact"]
Connect = Callable[[Mapping[str, Any]], ExtenderClient]


class NodePower(Protocol):
    """Switches nodes off and on by their names; each returns whether the node is now on the way there."""

    def off(self, name: str) -> bool:
        """Shuts down a node without pods."""

    def on(self, name: str) -> bool:
        """Boots a node that is off."""


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """How a scheduler is attached to a cluster.

    `latency` None takes no time. A scheduler with a single profile schedules every pod if it `takes_all`, else only
    pods with its schedulerName. `explain` is called with each scheduling attempt. `connect` makes the clients of
    extenders; without it a configuration with extenders is an InputError. `power` switches nodes off and on, for
    policies. `beside` runs what very large objects make long, if the thread is also that of a server.
    """

    ties: TieBreaking = "random"
    latency: SchedulerLatency | None = None
    takes_all: bool = True
    explain: Explain | None = None
    connect: Connect | None = None
    power: NodePower | None = None
    beside: Beside | None = None


DEFAULT_OPTIONS = SchedulerOptions()


class Attached(Protocol):
    """A scheduler attached to a cluster; `attempts` counts its scheduling attempts so far."""

    attempts: int

    def takes(self, pod: Pod) -> bool:
        """Returns whether this scheduler is responsible for a pod."""


class Attachable(Protocol):
    """A scheduler that can be attached to any cluster."""

    @property
    def name(self) -> str:
        """Returns what it is called in results."""

    @property
    def description(self) -> str:
        """Returns a line that describes it."""

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that it is responsible for."""

    def renamed(self, scheduler_name: str) -> Self:
        """Returns the same for pods of another schedulerName; InputError if it cannot be."""

    def notes(self) -> list[str]:
        """Returns what the user should know of it, such as what is not simulated."""

    def is_portable(self) -> bool:
        """Returns whether it can be sent to another process."""

    def attach(self, context: ActorContext, options: SchedulerOptions = DEFAULT_OPTIONS) -> Attached:
        """Starts it on a cluster."""
