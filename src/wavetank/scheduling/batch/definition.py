from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from wavetank.cluster.context import ActorContext
from wavetank.scheduling.attachable import DEFAULT_OPTIONS, SchedulerOptions
from wavetank.scheduling.batch.disciplines import Conservative, Discipline, Easy, InOrder
from wavetank.scheduling.batch.jobs import WaitingJobs
from wavetank.scheduling.batch.scheduler import BatchScheduler
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.registry import Handle, build_frameworks


class Queue(NamedTuple):
    """A kind of queue: what it does, where that is written down, and whether the shortest job stands first in line."""

    description: str
    source: str
    discipline: Callable[[], Discipline]
    shortest_first: bool = False


QUEUES: dict[str, Queue] = {
    "fcfs": Queue("jobs in the order of their arrival; none overtakes the first one that waits", "classic", InOrder),
    "sjf": Queue("the job with the shortest walltime first; no job overtakes it", "classic", InOrder, True),
    "easy": Queue(
        "EASY backfilling: others overtake the first in line if they do not delay it", "Lifka 1995; Batsim", Easy
    ),
    "conservative": Queue(
        "conservative backfilling: jobs overtake others if they delay none of them",
        "Mu'alem and Feitelson 2001; Batsim",
        Conservative,
    ),
}


@dataclass(frozen=True)
class BatchDefinition:
    """A batch queue that can be attached to any cluster; `queue` is one of QUEUES."""

    name: str
    queue: str
    scheduler_name: str = "default-scheduler"

    @property
    def description(self) -> str:
        """Says in a line what it is."""
        return QUEUES[self.queue].description

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerName of the pods that it is responsible for."""
        return (self.scheduler_name,)

    def renamed(self, scheduler_name: str) -> BatchDefinition:
        """Returns the same for pods of another schedulerName."""
        return replace(self, scheduler_name=scheduler_name)

    def notes(self) -> list[str]:
        """There is nothing that the user should know."""
        return []

    def is_portable(self) -> bool:
        """It can be sent to another process."""
        return True

    def attach(self, context: ActorContext, options: SchedulerOptions = DEFAULT_OPTIONS) -> BatchScheduler:
        """Starts it on a cluster. It draws no ties, has no attempts to explain, and calls no extenders."""
        version, streams = context.version, context.streams
        handle = Handle(version, Listers(), streams.stream(f"scheduler/{self.name}/preemption"))
        framework = build_frameworks(default_configuration(version), handle)[0]
        framework.scheduler_name = self.scheduler_name
        queue = QUEUES[self.queue]
        return BatchScheduler(
            context.store,
            context.clock,
            framework,
            queue.discipline(),
            WaitingJobs(queue.shortest_first),
            random=streams.stream(f"scheduler/{self.name}/latency"),
            latency=options.latency,
            takes_all=options.takes_all,
        )
