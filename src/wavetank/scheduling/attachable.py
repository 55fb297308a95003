"""What every scheduler of a run has in common, whatever it is inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, Self

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.config import Version
from wavetank.scheduling.extenders.extenders import ExtenderClient
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.scheduling.scheduler.scheduler import Explain

TieBreaking = Literal["random", "exact"]
Connect = Callable[[Mapping[str, Any]], ExtenderClient]


class Attached(Protocol):
    """A scheduler at work on a cluster; `attempts` is how often it has tried a pod so far."""

    attempts: int

    def takes(self, pod: Pod) -> bool:
        """Tells whether a pod is this scheduler's business."""


class Attachable(Protocol):
    """A scheduler that can be attached to any cluster."""

    @property
    def name(self) -> str:
        """Returns what it is called in results."""

    @property
    def description(self) -> str:
        """Says in a line what it is."""

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that it is responsible for."""

    def renamed(self, scheduler_name: str) -> Self:
        """Returns the same for pods of another schedulerName; InputError if it cannot be."""

    def notes(self) -> list[str]:
        """Returns what the user should know of it, such as what is not simulated."""

    def is_portable(self) -> bool:
        """Tells whether it can be sent to another process."""

    def attach(
        self,
        store: Store,
        clock: Clock,
        streams: Streams,
        version: Version,
        ties: TieBreaking = "random",
        latency: SchedulerLatency | None = None,
        takes_all: bool = True,
        explain: Explain | None = None,
        connect: Connect | None = None,
    ) -> Attached:
        """Starts it on a cluster; with a single profile it takes every pod, unless told otherwise.

        `connect` makes the clients of its extenders; without it a configuration with extenders is an InputError.
        """
