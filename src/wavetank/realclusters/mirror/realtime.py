from __future__ import annotations

import asyncio
import time

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds


def present() -> Nanoseconds:
    """Returns the time of this machine on the scale of virtual time."""
    return time.time_ns() - EPOCH_SECONDS * SECOND


class RealTime:
    """Runs a clock by the time of this machine, inside an event loop.

    The clock starts at `start`, by default at the present time of the calendar, and runs `speed` times as fast as
    real time. Call `advance` before each change from outside, and `plan` after it.
    """

    def __init__(self, start: Nanoseconds | None = None, speed: float = 1.0) -> None:
        begin = present() if start is None else start
        self.clock = Clock(begin)
        self._begin = begin
        self._speed = speed
        self._origin = time.monotonic_ns()
        self._handle: asyncio.TimerHandle | None = None

    def set_back(self, elapsed_ns: int) -> None:
        """Makes it as if the clock had been started this long ago, in real time."""
        self._origin = time.monotonic_ns() - elapsed_ns

    @property
    def now(self) -> Nanoseconds:
        """Returns the time on the clock's scale, which the clock itself may not have reached."""
        return self._begin + round((time.monotonic_ns() - self._origin) * self._speed)

    def advance(self) -> None:
        """Runs what is due."""
        self.clock.run(max(self.now, self.clock.now))

    def plan(self) -> None:
        """Runs the next timer of the clock when it is due."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        due = self.clock.next_due()
        if due is not None:
            delay = max(due - self.now, 0) / SECOND / self._speed
            self._handle = asyncio.get_running_loop().call_later(delay, self._tick)

    def _tick(self) -> None:
        self._handle = None
        self.advance()
        self.plan()

    def stop(self) -> None:
        """Runs no more timers."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
