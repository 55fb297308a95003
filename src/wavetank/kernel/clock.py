from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import repeat

from wavetank.errors import WavetankError
from wavetank.kernel.durations import Nanoseconds

# Callbacks of one instant run in this order: first its events, then the schedulers that react to them.
EVENTS = 0
SCHEDULERS = 1

# `Clock.after_each_block` is called whenever so many timers have run.
BLOCK = 10_000


class PastError(WavetankError):
    """A callback was asked for at a time that has passed."""


class Timer:
    """A callback that will be called at `due`; `cancel` makes it never happen. A foreground timer has a `clock`."""

    __slots__ = ("callback", "clock", "due", "priority")

    def __init__(
        self, due: Nanoseconds, priority: int, callback: Callable[[], None] | None, clock: Clock | None
    ) -> None:
        self.due = due
        self.priority = priority
        self.callback = callback
        self.clock = clock

    @property
    def background(self) -> bool:
        """Returns whether it is no progress."""
        return self.clock is None

    def cancel(self) -> None:
        """Forgets the callback; cancelling twice, or after it ran, does nothing."""
        if self.callback is not None:
            self.callback = None
            if self.clock is not None:
                self.clock.foreground -= 1


class Clock:
    """Runs timers by (due, priority, order of creation), so that a run can be repeated exactly.

    Time is an integer number of nanoseconds since the start of the simulation.
    A *background* timer (a periodic flush, a heartbeat) runs like any other but is no progress:
    `run` without an end stops when only background timers are left.
    """

    def __init__(self, start: Nanoseconds = 0) -> None:
        self.now = start
        self.foreground = 0
        self._present: tuple[deque[Timer], deque[Timer]] = (deque(), deque())  # of this instant, by priority
        self._later: dict[Nanoseconds, Timer | list[Timer]] = {}  # most instants have one timer only
        self._instants: list[Nanoseconds] = []  # a heap of the keys of `_later`: plain numbers compare fastest
        self.after_each_block: Callable[[], None] | None = None  # while it runs; for a look at the progress

    def at(
        self,
        due: Nanoseconds,
        callback: Callable[[], None],
        priority: int = EVENTS,
        background: bool = False,
    ) -> Timer:
        """Calls `callback` at `due`, after everything that is due earlier."""
        timer = Timer(due, priority, callback, None if background else self)
        if due == self.now:
            self._present[priority].append(timer)
        elif due < self.now:
            raise PastError(f"cannot schedule at {due} ns: it is already {self.now} ns")
        elif (others := self._later.get(due)) is None:
            self._later[due] = timer
            heappush(self._instants, due)
        elif isinstance(others, list):
            others.append(timer)
        else:
            self._later[due] = [others, timer]
        if not background:
            self.foreground += 1
        return timer

    def soon(self, callback: Callable[[], None]) -> None:
        """Calls `callback` at this instant, after the events that are due already."""
        self._present[EVENTS].append(Timer(self.now, EVENTS, callback, self))
        self.foreground += 1

    def after(
        self,
        delay: Nanoseconds,
        callback: Callable[[], None],
        priority: int = EVENTS,
        background: bool = False,
    ) -> Timer:
        """Calls `callback` when `delay` has passed."""
        return self.at(self.now + delay, callback, priority, background)

    def run(self, until: Nanoseconds | None = None) -> None:
        """Runs every timer due at or before `until`, then stands at `until`.

        Without `until`: runs as long as anything but background timers is left, and stands at the last one.
        """
        while self._run_block(until):
            if self.after_each_block is not None:
                self.after_each_block()
        if until is not None:
            self.now = max(self.now, until)

    def _run_block(self, until: Nanoseconds | None) -> bool:
        """Runs BLOCK timers; returns False if there were fewer to run."""
        present, later, instants = self._present, self._later, self._instants
        events, schedulers = present
        for _ in repeat(None, BLOCK):
            if not self.foreground and until is None:
                return False
            if events:
                timer = events.popleft()
            elif schedulers:
                timer = schedulers.popleft()
            elif until is None or (instants and instants[0] <= until):
                following = later.pop(heappop(instants))
                if isinstance(following, list):
                    for timer in following:
                        present[timer.priority].append(timer)
                    continue
                timer = following
            else:
                return False
            callback = timer.callback  # written out, like the beginning of an instant: every event pays for it
            if callback is not None:
                timer.callback = None
                if timer.clock is not None:
                    self.foreground -= 1
                self.now = timer.due
                callback()
        return True

    def run_events(self, until: Nanoseconds) -> None:
        """Runs everything before `until`, and the events of that instant, but not the schedulers that react to them."""
        if until > self.now:
            self.run(until - 1)
        if self._instants and self._instants[0] == until:
            self._begin_next_instant()
        events = self._present[EVENTS]
        while events:
            self._run_one(events.popleft())
        self.now = until

    def _run_one(self, timer: Timer) -> None:
        """Runs a timer; one that was cancelled is dropped without moving the time."""
        callback = timer.callback
        if callback is not None:
            timer.callback = None
            if timer.clock is not None:
                self.foreground -= 1
            self.now = timer.due
            callback()

    def step(self, until: Nanoseconds | None = None) -> bool:
        """Runs the next timer that is due at or before `until`; returns False if there is none.

        For callers that have other work to do in between.
        """
        due = self.next_due()
        if due is None or (until is not None and due > until):
            return False
        events, schedulers = self._present
        if not events and not schedulers:
            self._begin_next_instant()
        self._run_one((events or schedulers).popleft())
        return True

    def _begin_next_instant(self) -> None:
        due = heappop(self._instants)
        for timer in self._due_at(due):
            self._present[timer.priority].append(timer)
        del self._later[due]

    def _due_at(self, later: Nanoseconds) -> Sequence[Timer]:
        found = self._later[later]
        return found if isinstance(found, list) else (found,)

    def next_due(self) -> Nanoseconds | None:
        """Returns when the next timer is due, or None if there is none."""
        present = [timer.due for timers in self._present for timer in timers if timer.callback is not None]
        if present:
            return min(present)
        while self._instants and all(timer.callback is None for timer in self._due_at(self._instants[0])):
            del self._later[heappop(self._instants)]
        return self._instants[0] if self._instants else None

    def next_progress(self) -> Nanoseconds | None:
        """Returns when the next timer is due that is more than background, or None; it looks at all of them."""
        timers = (timer for timers in (*self._present, *map(self._due_at, self._later)) for timer in timers)
        return min((timer.due for timer in timers if timer.callback and not timer.background), default=None)
