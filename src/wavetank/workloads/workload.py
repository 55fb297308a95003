from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple, Protocol, runtime_checkable

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams


class Arrival(NamedTuple):
    """A pod that is submitted at `time`; the pod is new and belongs to the caller."""

    time: Nanoseconds
    pod: Pod


class ObjectArrival(NamedTuple):
    """An object that is submitted at `time`, of which a controller makes pods; it is deleted after its lifetime."""

    time: Nanoseconds
    resource: Resource
    lifetime: Nanoseconds | None = None


class Workload(Protocol):
    """Pods to submit to a simulated cluster; errors in the input were raised when it was read."""

    @property
    def description(self) -> str:
        """Says what it is in a few words: 200 jobs from spaced.json."""
        ...

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time; what is random in them follows `streams` alone."""
        ...


class NoWorkload:
    """The workload of a run whose pods are made by other actors."""

    description = "no pods of its own"

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields nothing."""
        return iter(())


@runtime_checkable
class ObjectWorkload(Protocol):
    """A workload that can submit workload resources themselves, instead of their pods."""

    def object_arrivals(
        self, specs: SpecTable, streams: Streams, kinds: Collection[str]
    ) -> Iterator[Arrival | ObjectArrival]:
        """Yields in the order of time objects of these kinds (tables of the store), and pods of all others."""
        ...


def object_arrivals(
    workload: Workload, specs: SpecTable, streams: Streams, kinds: Collection[str]
) -> Iterator[Arrival | ObjectArrival]:
    """Yields what a workload submits, with objects of these kinds as such where it knows of them."""
    if kinds and isinstance(workload, ObjectWorkload):
        return workload.object_arrivals(specs, streams, kinds)
    return workload.arrivals(specs, streams)


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
        behavior = pod.behavior
        if behavior is not None and behavior.job is not None:
            if behavior.job is not last:  # the pods of a job come one after the other, and go on sharing one
                last, moved = behavior.job, replace(behavior, job=replace(behavior.job, workload=workload))
            pod.behavior = moved
        pod.name = f"{workload}-{pod.name}"
        yield Arrival(time, pod)
