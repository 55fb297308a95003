from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from wavetank.cluster.pod import Pod
from wavetank.cluster.podspec import SpecTable
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams


class Arrival(NamedTuple):
    """A pod that is submitted at `time`; the pod is new and belongs to whoever takes it."""

    time: Nanoseconds
    pod: Pod


class Workload(Protocol):
    """Pods to submit to a simulated cluster; whatever is wrong with the input was said when it was read."""

    @property
    def description(self) -> str:
        """Says what it is in a few words: 200 jobs from spaced.json."""
        ...

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time; what is random in them follows `streams` alone."""
        ...
