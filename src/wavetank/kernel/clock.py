from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from wavetank.errors import WavetankError
from wavetank.kernel.durations import Nanoseconds

# Callbacks of one instant run in this order: first the world changes, then those who react to it think.
WORLD = 0
SCHEDULERS = 10


class PastError(WavetankError):
    """Somebody asked for a callback at a time that is already over."""


class Timer:
    """A callback that is due at `due`; `cancel` makes it never happen."""

    __slots__ = ("_clock", "background", "callback", "due")

    def __init__(self, clock: Clock, due: Nanoseconds, callback: Callable[[], None], background: bool) -> None:
        self._clock = clock
        self.due = due
        self.callback: Callable[[], None] | None = callback
        self.background = background

    def cancel(self) -> None:
        """Forgets the callback; cancelling twice, or after it ran, does nothing."""
        if self.callback is not None:
            self.callback = None
            if not self.background:
                self._clock.foreground -= 1


class Clock:
    """Runs timers by (due, priority, order of creation), so that a run can be repeated exactly.

    Time is an integer number of nanoseconds since the start of the simulation.
    A *background* timer (a periodic flush, a heartbeat) runs like any other but is no progress:
    `run` without an end stops when only background timers are left.
    """

    def __init__(self, start: Nanoseconds = 0) -> None:
        self.now = start
        self.foreground = 0
        self._queue: list[tuple[Nanoseconds, int, int, Timer]] = []
        self._sequence = count()

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
        timer = Timer(self, due, callback, background)
        if not background:
            self.foreground += 1
        heapq.heappush(self._queue, (due, priority, next(self._sequence), timer))
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
        if until is None:
            while self.foreground:
                self.step()
            return
        while self._queue and self._queue[0][0] <= until:
            self.step()
        self.now = max(self.now, until)

    def step(self) -> None:
        """Runs the next timer; one that was cancelled is dropped without moving the time."""
        due, _, _, timer = heapq.heappop(self._queue)
        callback = timer.callback
        if callback is not None:
            timer.callback = None
            if not timer.background:
                self.foreground -= 1
            self.now = due
            callback()

    def next_due(self) -> Nanoseconds | None:
        """Returns when the next timer is due, or None if there is none."""
        while self._queue and self._queue[0][3].callback is None:
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else None
