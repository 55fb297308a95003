from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import SCHEDULERS, Timer
from wavetank.kernel.durations import Nanoseconds

TIMER, POD_APPEARED, PRODUCTIVE = "timer", "pod", "productive"
_AFTER_PRODUCTIVE = 2  # further loops at once

# Runs a loop started by a trigger; returns whether it added or removed nodes, and whether pods wait for the next one.
RunLoop = Callable[[str, bool], tuple[bool, bool]]


class Trigger(Protocol):
    """Decides when loops run."""

    def signal(self) -> None:
        """Tells that a pod was found unschedulable."""


class LoopTrigger:
    """Decides when loops run.

    A loop runs one scan interval after the last one, whatever started that. With `frequent` loops one runs at once if a
    pod is found unschedulable, and two more right after a loop that added or removed nodes. At most one signal of pods
    is kept. A loop takes no time, but it makes many requests: a further loop at the same instant runs only after
    schedulers have finished their work of that instant. Timers are background timers unless pods wait for the next
    loop.
    """

    def __init__(self, store: Store, run: RunLoop, interval: Nanoseconds, first: Nanoseconds, frequent: bool) -> None:
        self._store = store
        self._clock = store.clock
        self._run = run
        self._interval = interval
        self._frequent = frequent
        self._signals = 0
        self._planned = False  # a loop at this instant
        self._more = 0
        self._last: Nanoseconds = -1
        self._seen = -1
        self._timer: Timer = self._clock.at(first, self._timer_due, background=True)

    def signal(self) -> None:
        """Tells that a pod was found unschedulable."""
        if self._frequent:
            self._signals += 1
            self._plan()

    def _timer_due(self) -> None:
        self._clock.at(self._clock.now, self._start_by_timer, SCHEDULERS)

    def _start_by_timer(self) -> None:
        if self._last != self._clock.now:
            self._loop(TIMER)

    def _plan(self) -> None:
        if not self._planned:
            self._planned = True
            self._seen = -1
            self._clock.at(self._clock.now, self._start, SCHEDULERS)

    def _start(self) -> None:
        if self._last == self._clock.now and self._seen != self._store.version:
            self._seen = self._store.version
            self._clock.at(self._clock.now, self._start, SCHEDULERS)
            return
        self._planned = False
        self._loop(POD_APPEARED if self._signals else PRODUCTIVE)

    def _loop(self, trigger: str) -> None:
        first = self._last != self._clock.now
        # The first signal starts the loop; one more is kept while it runs.
        self._signals = int(first and self._signals > 1)
        self._last = self._clock.now
        self._timer.cancel()
        productive, awaited = self._run(trigger, first and trigger == POD_APPEARED)
        if self._frequent:
            self._more = _AFTER_PRODUCTIVE if productive else max(self._more - 1, 0)
        self._timer = self._clock.after(self._interval, self._timer_due, background=not awaited)
        if self._more or self._signals:
            self._plan()
