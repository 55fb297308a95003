from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from wavetank.errors import WavetankError
from wavetank.kernel.durations import Nanoseconds

# Callbacks of one instant run in this order: first the world changes, then those who react to it think.
WORLD = 0
SCHEDULERS = 10


class PastError(WavetankError):
    """Somebody asked for a callback at a time that is already over."""


class Timer(list[Any]):
    """A callback that will be called at `due`; `cancel` makes it never happen.

    It is its own entry in the clock's heap, [due, priority, sequence, callback, clock of a foreground timer]: a list
    of plain numbers in front compares faster than anything else could.
    """

    __slots__ = ()

    @property
    def due(self) -> Nanoseconds:
        """Returns when the callback is due."""
        due: Nanoseconds = self[0]
        return due

    @property
    def background(self) -> bool:
        """Tells whether it is no progress."""
        return self[4] is None

    def cancel(self) -> None:
        """Forgets the callback; cancelling twice, or after it ran, does nothing."""
        if self[3] is not None:
            self[3] = None
            if self[4] is not None:
                self[4].foreground -= 1


class Clock:
    """Runs timers by (due, priority, order of creation), so that a run can be repeated exactly.

    Time is an integer number of nanoseconds since the start of the simulation.
    A *background* timer (a periodic flush, a heartbeat) runs like any other but is no progress:
    `run` without an end stops when only background timers are left.
    """

    def __init__(self, start: Nanoseconds = 0) -> None:
        self.now = start
        self.foreground = 0
        self._present: list[Timer] = []  # what is due at this instant; most of it never has to pass by the others
        self._later: list[Timer] = []
        self._sequence = 0

    def at(
        self,
        due: Nanoseconds,
        callback: Callable[[], None],
        priority: int = WORLD,
        background: bool = False,
    ) -> Timer:
        """Calls `callback` at `due`, after everything that is due earlier."""
        if due < self.now:
            raise PastError(f"cannot schedule at {due} ns: it is already {self.now} ns")
        self._sequence += 1
        timer = Timer((due, priority, self._sequence, callback, None if background else self))
        if not background:
            self.foreground += 1
        heappush(self._present if due == self.now else self._later, timer)
        return timer

    def after(
        self,
        delay: Nanoseconds,
        callback: Callable[[], None],
        priority: int = WORLD,
        background: bool = False,
    ) -> Timer:
        """Calls `callback` when `delay` has passed."""
        return self.at(self.now + delay, callback, priority, background)

    def run(self, until: Nanoseconds | None = None) -> None:
        """Runs every timer due at or before `until`, then stands at `until`.

        Without `until`: runs as long as anything but background timers is left, and stands at the last one.
        """
        present, later = self._present, self._later
        while self.foreground if until is None else self._is_due(until):
            timer = heappop(present if present and not (later and later[0] < present[0]) else later)
            callback = timer[3]
            if callback is not None:  # one that was cancelled is dropped without moving the time
                timer[3] = None
                if timer[4] is not None:
                    self.foreground -= 1
                self.now = timer[0]
                callback()
        if until is not None:
            self.now = max(self.now, until)

    def next_due(self) -> Nanoseconds | None:
        """Returns when the next timer is due, or None if there is none."""
        for queue in (self._present, self._later):
            while queue and queue[0][3] is None:
                heappop(queue)
            if queue:
                return queue[0].due
        return None

    def _is_due(self, until: Nanoseconds) -> bool:
        return bool(self._present) or bool(self._later and self._later[0][0] <= until)
