from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams


class Arrival(NamedTuple):
    """A pod that is submitted at `time`; the pod is new and belongs to whoever takes it."""

    time: Nanoseconds
    pod: Pod


class ObjectArrival(NamedTuple):
    """An object that is submitted at `time`, of which a controller makes pods; it is deleted after its lifetime."""

    time: Nanoseconds
    resource: Resource
    lifetime: Nanoseconds | None = None


class Workload(Protocol):
    """Pods to submit to a simulated cluster; whatever is wrong with the input was said when it was read."""

    @property
    def description(self) -> str:
        """Says what it is in a few words: 200 jobs from spaced.json."""
        ...

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time; what is random in them follows `streams` alone."""
        ...


@runtime_checkable
class ObjectWorkload(Protocol):
    """A workload that can submit objects as they are, instead of the pods that they ask for."""

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
