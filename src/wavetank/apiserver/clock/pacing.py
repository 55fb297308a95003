"""The speed of a served cluster's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from wavetank.apiserver.webhooks.waiting import Breaks
from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds

# How long the simulation may block the thread; a request waits for two such slices at most.
SLICE: Nanoseconds = 3_000_000
# A simulation that cannot keep up drops a delay above this, in wall time.
_PATIENCE: Nanoseconds = SECOND

MAX = None

# The last instant, at the end of the year 9999: timestamps have no later ones.
LAST: Nanoseconds = (253_402_300_799 - EPOCH_SECONDS) * SECOND


def parse_speed(text: str) -> float | None:
    """Reads a speed: simulated seconds per second, or max, which is None."""
    if text == "max":
        return MAX
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= 1e9:
        raise InputError(f"expected a speed such as 1, 60 or max, got {text!r:.60}")
    return speed


@dataclass(frozen=True)
class ClockStatus:
    """The state of a clock; `idle` if only periodic timers are pending."""

    now: Nanoseconds
    elapsed: Nanoseconds
    speed: float | None
    paused: bool
    idle: bool
    next_progress: Nanoseconds | None


class Pacing:
    """Lets a clock follow wall time at a speed, in slices that leave time for clients in between.

    At `speed` 1 a simulated second takes a second. At MAX the clock jumps from event to event until only periodic
    timers are left, and then stands still until the next write. While it is `paused`, only `advance` and `step` move
    it. `wall` returns monotonic nanoseconds.
    """

    def __init__(
        self,
        clock: Clock,
        speed: float | None = 1.0,
        paused: bool = False,
        wall: Callable[[], Nanoseconds] = time.monotonic_ns,
    ) -> None:
        self.clock = clock
        self.speed = speed
        self.paused = paused
        self.breaks = Breaks()
        self.held = False  # an actor waits in the middle of an event: no other one may run
        self._timers = 0  # that have run
        self._wall = wall
        self._begun = clock.now
        self._goal: Nanoseconds | None = None
        self._arrivals: list[Callable[[], None]] = []
        self._anchor()

    @property
    def steps(self) -> int:
        """Returns how many timers have run, and how many breaks there were in them."""
        return self._timers + self.breaks.taken

    # control

    def pause(self) -> None:
        """Stops the clock where it is, also in an advance."""
        self.keep_up()
        self.paused = True
        self._arrive()

    def resume(self, speed: float | None) -> None:
        """Continues at a speed."""
        self.keep_up()
        self.speed, self.paused = speed, False
        self._anchor()

    def advance(self, duration: Nanoseconds, arrived: Callable[[], None]) -> None:
        """Advances by a duration as fast as possible, paused or not; `arrived` is called when it is done.

        A pause ends it early. InputError if the clock would pass its last instant.
        """
        self.keep_up()
        goal = (self.clock.now if self._goal is None else self._goal) + duration
        if goal > LAST:
            raise InputError("the clock ends with the year 9999", path="by")
        self._goal = goal
        self._arrivals.append(arrived)

    def withdraw(self, arrived: Callable[[], None]) -> None:
        """Forgets who waits for an advance; the last one ends it."""
        self._arrivals = [each for each in self._arrivals if each != arrived]
        if not self._arrivals:
            self._arrive()

    def step(self, arrived: Callable[[], None]) -> None:
        """Advances to the next event that is not a periodic timer, if there is one."""
        self.keep_up()
        due = self.clock.next_progress()
        self.advance(0 if due is None else due - self.clock.now, arrived)

    def replace(self, clock: Clock, steps: int) -> None:
        """Goes on with another clock, which has made so many steps, and pauses it; pending advances end."""
        self.clock, self._timers = clock, steps - self.breaks.taken
        self.paused = True
        self._arrive()

    def status(self) -> ClockStatus:
        """Returns the state of the clock."""
        self.keep_up()
        clock = self.clock
        due = clock.next_progress()
        return ClockStatus(clock.now, clock.now - self._begun, self.speed, self.paused, due is None, due)

    # work

    def keep_up(self) -> None:
        """Brings the clock up to date before it is read, unless an event is due before."""
        if self.paused or self.held or self._goal is not None or self.speed is MAX:
            return
        due, target = self.clock.next_due(), self._target()
        if due is None or due > target:
            self.clock.run(target)

    def work(self) -> float | None:
        """Runs due timers for one slice; returns the seconds until the next one, None if there is none."""
        end = self._wall() + SLICE
        if self._goal is not None and not self._reach_goal(end):
            return 0.0
        if self.paused:
            return None
        if self.speed is MAX:
            return None if self._make_progress(end) else 0.0
        target = self._target()
        if not self._run_to(target, end):
            self._lose_time(target)
            return 0.0
        return self.delay()

    def delay(self) -> float | None:
        """Returns the seconds until `work` has something to do, None if it has nothing."""
        if self.held:
            return None
        if self._goal is not None:
            return 0.0
        if self.paused:
            return None
        if self.speed is MAX:
            due = self.clock.next_due() if self.clock.foreground else None
            return None if due is None or due > LAST else 0.0
        due = self.clock.next_due()
        return None if due is None or due > LAST else max(0.0, (due - self._target()) / self.speed / SECOND)

    def _reach_goal(self, end: Nanoseconds) -> bool:
        assert self._goal is not None
        if not self._run_to(self._goal, end):
            return False
        self._arrive()
        return True

    def _arrive(self) -> None:
        """Ends an advance, and tells those who wait for it."""
        self._goal = None
        self._anchor()
        arrivals, self._arrivals = self._arrivals, []
        for arrived in arrivals:
            arrived()

    def _make_progress(self, end: Nanoseconds) -> bool:
        """Runs timers while any of them is not periodic; returns whether none is left."""
        clock, wall = self.clock, self._wall
        while clock.foreground and self._step(LAST):
            if wall() >= end:
                return not clock.foreground
        return True

    def _run_to(self, target: Nanoseconds, end: Nanoseconds) -> bool:
        """Runs timers up to a time; returns whether it got there within the slice."""
        clock, wall = self.clock, self._wall
        while (due := clock.next_due()) is not None and due <= target:
            self._step()
            if wall() >= end:
                return False
        clock.run(target)
        return True

    def _step(self, until: Nanoseconds | None = None) -> bool:
        self.breaks.begin()
        found = self.clock.step(until)
        self._timers += found
        return found

    # virtual time as a function of wall time

    def _anchor(self) -> None:
        self._anchor_wall, self._anchor_time = self._wall(), self.clock.now

    def _target(self) -> Nanoseconds:
        assert self.speed is not None
        return min(LAST, self._anchor_time + int((self._wall() - self._anchor_wall) * self.speed))

    def _lose_time(self, target: Nanoseconds) -> None:
        """Drops the delay of a clock that cannot keep up, so that it does not race later."""
        assert self.speed is not None
        if target - self.clock.now > _PATIENCE * self.speed:
            self._anchor()
