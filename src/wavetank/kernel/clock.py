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
        self._queue: list[Timer] = []
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
        heappush(self._queue, timer)
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
        queue = self._queue
        if until is None:
            while self.foreground:
                self._run_one(heappop(queue))
            return
        while queue and queue[0][0] <= until:
            self._run_one(heappop(queue))
        self.now = max(self.now, until)

    def step(self) -> None:
        """Runs the next timer, if there is any; whoever must not be away for long runs the clock like this."""
        if self.next_due() is not None:
            self._run_one(heappop(self._queue))

    def _run_one(self, timer: Timer) -> None:
        """Runs a timer; one that was cancelled is dropped without moving the time."""
        callback = timer[3]
        if callback is not None:
            timer[3] = None
            if timer[4] is not None:
                self.foreground -= 1
            self.now = timer[0]
            callback()

    def next_due(self) -> Nanoseconds | None:
        """Returns when the next timer is due, or None if there is none."""
        while self._queue and self._queue[0][3] is None:
            heappop(self._queue)
        return self._queue[0].due if self._queue else None

    def next_progress(self) -> Nanoseconds | None:
        """Returns when the next timer is due that is more than background, or None; it looks at all of them."""
        return min((timer.due for timer in self._queue if timer[3] is not None and timer[4] is not None), default=None)
