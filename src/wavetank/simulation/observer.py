from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import Nanoseconds


class Responsible(Protocol):
    """A scheduler, as far as observers know it."""

    def takes(self, pod: Pod) -> bool:
        """Tells whether the scheduler is responsible for a pod."""


class Observer:
    """Watches a run and writes nothing to the store. Joins before the nodes, so that it sees each change first."""

    def join(self, context: ActorContext) -> None:
        """Subscribes to the kinds that it watches."""
        raise NotImplementedError

    def attached(self, schedulers: Sequence[tuple[str, Responsible]]) -> None:
        """Called when all schedulers, by name, are attached; before the first pod of the workload."""

    def ended(self, time: Nanoseconds) -> None:
        """Called once after the run; `time` is that of its last event, or the horizon."""
