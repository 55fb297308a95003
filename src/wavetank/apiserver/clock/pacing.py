"""The speed of a served cluster's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from wavetank.apiserver.waiting import Breaks
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

    An event may wait, or take a break; what sets the clock meanwhile counts as soon as the event has ended.
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
        self.in_event = False  # one is under way, and perhaps waits: no other one may run
        self.held = False  # no event may begin: the clock may be replaced
        self._timers = 0  # that have run
        self._is_set_anew = False  # since the present slice of work has begun
        self._wall = wall
        self._begun = clock.now
        self._goal: Nanoseconds | None = None
        self._arrivals: list[Callable[[], None]] = []
        self._anchor()

    @property
    def steps(self) -> int:
        """Returns how many timers have run, and how many breaks there were in them."""
        return self._timers + self.breaks.taken

    @property
    def is_between_steps(self) -> bool:
        """Returns whether no event is under way, or one that takes a break: what happens now can be repeated."""
        return not self.in_event or self.breaks.is_open

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
        self._set_anew()

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
        self._set_anew()

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

    def hold(self) -> None:
        """Lets no event begin until the `release`; one that is under way ends."""
        self.keep_up()
        self.held = True
        self._set_anew()

    def release(self) -> None:
        """Goes on after a `hold`; what has passed meanwhile is not made up for."""
        self.held = False
        self._set_anew()

    def replace(self, clock: Clock, steps: int) -> None:
        """Goes on with another clock, which has made so many steps, and pauses it; pending advances end."""
        self.clock, self._timers, self.breaks = clock, steps, Breaks()
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
        if self._stands or self.paused or self._goal is not None or self.speed is MAX:
            return
        due, target = self.clock.next_due(), self._target()
        if due is None or due > target:
            self.clock.run(target)

    def work(self) -> float | None:
        """Runs due timers for one slice, or until the clock is set anew; returns what `delay` returns then."""
        if not self._stands:
            self._is_set_anew = False
            self._work(self._wall() + SLICE)
        return self.delay()

    def delay(self) -> float | None:
        """Returns the seconds until `work` has something to do, None if it has nothing."""
        if self._stands:
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

    @property
    def _stands(self) -> bool:
        return self.in_event or self.held

    def _work(self, end: Nanoseconds) -> None:
        if self._goal is not None:
            if self._run_to(self._goal, end):
                self._arrive()
        elif self.paused:
            return
        elif self.speed is MAX:
            self._make_progress(end)
        else:
            target = self._target()
            if not self._run_to(target, end) and not self._is_set_anew:
                self._lose_time(target)

    def _set_anew(self) -> None:
        """Lets the present slice of work end: the clock has been set, and perhaps goes elsewhere."""
        self._is_set_anew = True
        self._anchor()

    def _arrive(self) -> None:
        """Ends an advance, and tells those who wait for it."""
        self._goal = None
        self._set_anew()
        arrivals, self._arrivals = self._arrivals, []
        for arrived in arrivals:
            arrived()

    def _make_progress(self, end: Nanoseconds) -> None:
        """Runs timers while any of them is not periodic."""
        while self.clock.foreground and self._step(LAST):
            if self._is_over(end):
                return

    def _run_to(self, target: Nanoseconds, end: Nanoseconds) -> bool:
        """Runs timers up to a time; returns whether it got there within the slice."""
        clock = self.clock
        while (due := clock.next_due()) is not None and due <= target:
            self._step()
            if self._is_over(end):
                return False
        clock.run(target)
        return True

    def _is_over(self, end: Nanoseconds) -> bool:
        return self._is_set_anew or self._wall() >= end

    def _step(self, until: Nanoseconds | None = None) -> bool:
        clock = self.clock
        self.breaks.begin()
        self.in_event = True
        try:
            found = clock.step(until)
        finally:
            self.in_event = False
        if clock is self.clock:  # else it has been replaced meanwhile
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
