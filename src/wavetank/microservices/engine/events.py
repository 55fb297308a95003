from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from wavetank.kernel.durations import Nanoseconds

# Priorities at one instant, as in MiSim: a higher one goes first, equal ones in the order of scheduling.
AT_ONCE, VERY_HIGH, HIGH, NORMAL, LOW, VERY_LOW = 0, 1, 2, 3, 4, 5

Event = list[Any]  # [due, priority, sequence, callback or None if cancelled, argument]

_CALLBACK = 3


class EventQueue:
    """Events of one simulation, by (time, priority, order of scheduling).

    Services have a queue of their own beside the clock of the cluster, so that they run in one go between two
    changes of the cluster.
    """

    def __init__(self) -> None:
        self.now: Nanoseconds = 0
        self._heap: list[Event] = []
        self._sequence = 0

    def schedule(
        self, delay: Nanoseconds, callback: Callable[[Any], None], argument: object = None, priority: int = NORMAL
    ) -> Event:
        """Calls `callback(argument)` after a delay."""
        self._sequence += 1
        event: Event = [self.now + delay, priority, self._sequence, callback, argument]
        heappush(self._heap, event)
        return event

    def run_before(self, end: Nanoseconds) -> None:
        """Runs all events before `end`, then stands at `end`."""
        heap = self._heap
        while heap and heap[0][0] < end:
            due, _, _, callback, argument = heappop(heap)
            if callback is not None:
                self.now = due
                callback(argument)
        self.now = max(self.now, end)

    @property
    def is_empty(self) -> bool:
        """Returns whether nothing is scheduled."""
        return not self._heap

    def stop(self) -> None:
        """Drops all events."""
        self._heap.clear()

    def cancel(self, event: Event) -> None:
        """Takes an event back; one that has run already is left alone."""
        event[_CALLBACK] = None

    def watch_cpu(self) -> None:
        """Is called for each CPU of a new instance; MiSim probes it periodically."""
