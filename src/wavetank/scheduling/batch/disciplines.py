"""The disciplines of batch queues: which jobs may start now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.batch.job import BatchJob, Placement
from wavetank.scheduling.batch.timeline import Timeline


class Discipline(Protocol):
    """Decides which of the waiting jobs start now. What they take from now on it takes from the timeline."""

    def starts(
        self, waiting: Sequence[BatchJob], timeline: Timeline, freed: bool
    ) -> Iterator[tuple[BatchJob, Placement]]:
        """Yields the jobs that start now, with their placements; `freed` if resources were freed meanwhile."""

    def forget(self, job: BatchJob, timeline: Timeline) -> None:
        """Drops what was planned for a job that no longer waits."""

    def forget_all(self) -> None:
        """Drops all plans, since there is a new timeline."""


class InOrder:
    """The first job of the queue starts as soon as it fits; no other job overtakes it."""

    def starts(
        self, waiting: Sequence[BatchJob], timeline: Timeline, freed: bool
    ) -> Iterator[tuple[BatchJob, Placement]]:
        """Yields jobs until one has to wait."""
        for job in waiting:
            placement = timeline.place_now(job)
            if placement is None:
                return
            _reserve(job, placement, timeline.now, timeline)
            yield job, placement

    def forget(self, job: BatchJob, timeline: Timeline) -> None:
        """Nothing was planned."""

    def forget_all(self) -> None:
        """Nothing was planned."""


class Easy(InOrder):
    """EASY backfilling: the first job of the queue has a reservation, others may start if they do not delay it."""

    def starts(
        self, waiting: Sequence[BatchJob], timeline: Timeline, freed: bool
    ) -> Iterator[tuple[BatchJob, Placement]]:
        """Yields the jobs that can start; the first one that cannot gets the earliest reservation that is left."""
        reserved: tuple[BatchJob, Placement, Nanoseconds] | None = None
        for job in waiting:
            placement = timeline.place_now(job)
            if placement is not None:
                _reserve(job, placement, timeline.now, timeline)
                yield job, placement
            elif reserved is None and (found := timeline.earliest(job)) is not None:
                reserved = (job, found[1], found[0])
                _reserve(*reserved, timeline)
        if reserved is not None:
            _cancel(*reserved, timeline)


class Conservative:
    """Conservative backfilling: every job has a reservation, and no job may delay another's.

    A job gets the earliest place that the others leave. When resources become free, all move forward in turn as far as
    the others allow.
    """

    def __init__(self) -> None:
        self._planned: dict[BatchJob, tuple[Placement, Nanoseconds]] = {}

    def starts(
        self, waiting: Sequence[BatchJob], timeline: Timeline, freed: bool
    ) -> Iterator[tuple[BatchJob, Placement]]:
        """Yields those whose reservation begins now."""
        for job in waiting:
            if freed or job not in self._planned:
                self.forget(job, timeline)
                self._plan(job, timeline)
        due = [job for job in waiting if job in self._planned and self._planned[job][1] <= timeline.now]
        for job in due:
            yield job, self._planned.pop(job)[0]

    def forget(self, job: BatchJob, timeline: Timeline) -> None:
        """Gives back a job's reservation."""
        planned = self._planned.pop(job, None)
        if planned is not None:
            _cancel(job, *planned, timeline)

    def forget_all(self) -> None:
        """Drops all reservations."""
        self._planned.clear()

    def _plan(self, job: BatchJob, timeline: Timeline) -> None:
        found = timeline.earliest(job)
        if found is not None:
            start, placement = found
            self._planned[job] = (placement, start)
            _reserve(job, placement, start, timeline)


def _reserve(job: BatchJob, placement: Placement, start: Nanoseconds, timeline: Timeline) -> None:
    timeline.reserve(start, start + job.takes, placement.slots, placement.amounts)


def _cancel(job: BatchJob, placement: Placement, start: Nanoseconds, timeline: Timeline) -> None:
    timeline.cancel(start, start + job.takes, placement.slots, placement.amounts)
