from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.kernel.randomness import Streams
from wavetank.workloads.workload import Arrival, Workload


class Workloads:
    """Several workloads at once, as Batsim takes them: the first is `w0`, the next `w1`.

    A pod's name begins with that of its workload (`w1-7`), a job carries it; at one time the earlier workload comes
    first.
    """

    def __init__(self, parts: Sequence[Workload]) -> None:
        self._parts = parts
        self.description = " and ".join(part.description for part in parts)

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods of all in the order of time."""
        renamed = (_renamed(part.arrivals(specs, streams), f"w{i}") for i, part in enumerate(self._parts))
        return heapq.merge(*renamed, key=attrgetter("time"))


def _renamed(arrivals: Iterator[Arrival], workload: str) -> Iterator[Arrival]:
    last: Job | None = None
    moved: PodBehavior | None = None
    for time, pod in arrivals:
        run = pod.behavior
        if run is not None and run.job is not None:
            if run.job is not last:  # the pods of a job come one after the other, and go on sharing one
                last, moved = run.job, replace(run, job=replace(run.job, workload=workload))
            pod.behavior = moved
        pod.name = f"{workload}-{pod.name}"
        yield Arrival(time, pod)
