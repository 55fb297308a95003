from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from wavetank.cluster.context import ActorContext
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import DEFAULT_OPTIONS, SchedulerOptions, TieBreaking
from wavetank.scheduling.volcano.config.conf import VolcanoConf
from wavetank.scheduling.volcano.release import V1_15, VolcanoRelease
from wavetank.scheduling.volcano.scheduler import VolcanoScheduler
from wavetank.scheduling.volcano.session.ties import ByName, BySize, RandomTies, Ties


@dataclass(frozen=True)
class VolcanoDefinition:
    """A Volcano scheduler that can be attached to any cluster; `without` are defects that it shall not have.

    `release` is the one whose scores it has.
    """

    name: str
    description: str
    conf: VolcanoConf
    period: Nanoseconds = SECOND
    without: frozenset[str] = frozenset()
    scheduler_name: str = "volcano"
    release: VolcanoRelease = V1_15
    admits_pod_groups: ClassVar[bool] = True  # before the pods of Volcano's Jobs are created

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that it is responsible for."""
        return (self.scheduler_name,)

    def renamed(self, scheduler_name: str) -> Self:
        """Returns the same for pods of another schedulerName."""
        return replace(self, scheduler_name=scheduler_name)

    def notes(self) -> list[str]:
        """Returns no notes: a configuration that is not simulated is an InputError."""
        return []

    def is_portable(self) -> bool:
        """Can always be sent to another process."""
        return True

    def _ties(self, streams: Streams, wanted: TieBreaking) -> Ties:
        if self.release.largest_first:
            return BySize()
        return ByName() if wanted == "exact" else RandomTies(streams.stream(f"scheduler/{self.name}/ties"))

    def attach(self, context: ActorContext, options: SchedulerOptions = DEFAULT_OPTIONS) -> VolcanoScheduler:
        """Starts it on a cluster. Its filters and scores are those of Volcano's own release, whatever the cluster's.

        It makes no attempts at single pods that could be explained, and calls no extenders.
        """
        return VolcanoScheduler(
            context.store,
            context.clock,
            self.conf,
            scheduler_names=self.scheduler_names,
            takes_all=options.takes_all,
            period=self.period,
            without=self.without,
            ties=self._ties(context.streams, options.ties),
            latency=options.latency,
            draws=context.streams.stream(f"scheduler/{self.name}/latency"),
            release=self.release,
        )
