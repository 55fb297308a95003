from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.events import AT_ONCE, NORMAL, VERY_LOW, Event, EventQueue

_PROBE: Nanoseconds = SECOND // 10
_END_EVENTS = 2  # MiSim's own, and DESMO-J's stop


class DesmojEventQueue(EventQueue):
    """The event list of DESMO-J 2.5.1e, on which MiSim runs.

    It looks for the place of a new event by bisection. If that meets an earlier event of a lower priority right before
    those of the same time, the new one goes before them and not behind. Which events are met depends on all that are
    in the list, so events that do nothing are in it, too: the end of the run, and a probe of each CPU every 0.1 s.
    """

    def __init__(self, end: Nanoseconds | None) -> None:
        super().__init__()
        if end is not None:
            for _ in range(_END_EVENTS):
                self.schedule(end, _nothing, priority=AT_ONCE)

    def schedule(
        self, delay: Nanoseconds, callback: Callable[[Any], None], argument: object = None, priority: int = NORMAL
    ) -> Event:
        """Calls `callback(argument)` after a delay."""
        event: Event = [self.now + delay, priority, 0, callback, argument]
        self._heap.insert(self._place(event[0], priority), event)
        return event

    def _place(self, due: Nanoseconds, priority: int) -> int:
        events = self._heap
        left, right, last = 0, len(events) - 1, len(events) - 1
        while left <= right:
            middle = (left + right) // 2
            event = events[middle]
            if event[0] < due or (event[0] == due and event[1] <= priority):
                following = events[middle + 1][0] if middle < last else None
                if following is None or following > due or (following == due and event[1] > priority):
                    return middle + 1
                left = middle + 1
            else:
                previous = events[middle - 1] if middle else None
                if previous is None or previous[0] < due or (previous[0] == due and previous[1] <= priority):
                    return middle
                right = middle - 1
        return len(events)

    def run_before(self, end: Nanoseconds) -> None:
        """Runs all events before `end`, then stands at `end`."""
        while self._heap and self._heap[0][0] < end:
            self.now, _, _, callback, argument = self._heap.pop(0)
            callback(argument)
        self.now = max(self.now, end)

    def cancel(self, event: Event) -> None:
        """Takes an event out of the list; one that has run already is left alone."""
        for position in range(bisect_left(self._heap, event[:1]), len(self._heap)):
            if self._heap[position] is event:
                del self._heap[position]
                return
            if self._heap[position][0] > event[0]:
                return

    def watch_cpu(self) -> None:
        """Adds the probe of a new CPU."""
        self.schedule(0, self._probe, priority=VERY_LOW)

    def _probe(self, _: object) -> None:
        self.schedule(_PROBE, self._probe, priority=VERY_LOW)


def _nothing(_: object) -> None:
    pass
