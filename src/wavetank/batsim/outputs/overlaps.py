"""Jobs that were on a machine at the same time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from wavetank.batsim.jobs.job import Job
from wavetank.kernel.durations import Nanoseconds


class Overlap(NamedTuple):
    """A stretch of time in which a machine held several jobs."""

    machine: int
    begin: Nanoseconds
    end: Nanoseconds
    jobs: tuple[str, ...]


def overlaps_of(jobs: Sequence[Job]) -> list[Overlap]:
    """Returns the overlaps of jobs that ran, by machine and time."""
    events: defaultdict[int, list[tuple[Nanoseconds, bool, str]]] = defaultdict(list)
    for job in jobs:
        if job.started is not None and job.finished is not None:
            for machine in job.allocation:
                events[machine] += [(job.started, True, job.identifier), (job.finished, False, job.identifier)]
    return [overlap for machine in sorted(events) for overlap in _of_machine(machine, sorted(events[machine]))]


def _of_machine(machine: int, events: list[tuple[Nanoseconds, bool, str]]) -> list[Overlap]:
    """Walks through the starts and ends of one machine; at the same instant ends come first."""
    present: dict[str, None] = {}
    since: Nanoseconds = 0
    found: list[Overlap] = []
    for time, starts, job in events:
        if len(present) > 1 and time > since:
            found.append(Overlap(machine, since, time, tuple(present)))
        since = time
        if starts:
            present[job] = None
        else:
            present.pop(job, None)
    return found
