from __future__ import annotations

from collections.abc import Callable

from wavetank.controllers.kueue.pending.queues import Queues
from wavetank.controllers.kueue.scheduler.cycle import Cycle
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds

_FIRST_PAUSE: Nanoseconds = SECOND // 1000
_LONGEST_PAUSE: Nanoseconds = SECOND // 10


class SchedulerLoop:
    """Runs cycles while there are workloads to try, slower and slower while none is admitted, as Kueue's loop does.

    A pause counts from the beginning of the iteration before it: of 0 after an admission, otherwise 1 ms, 2 ms, and so
    on up to 100 ms. If the same workloads fail again and nothing has changed, the loop rests until something does; it
    then goes on at the instants at which it would have tried. `settle` is called after each cycle, to take note of what
    it has written.
    """

    def __init__(self, clock: Clock, queues: Queues, cycle: Cycle, settle: Callable[[], None]) -> None:
        self._clock = clock
        self._queues = queues
        self._cycle = cycle
        self._pause: Nanoseconds | None = None
        self._begin: Nanoseconds = clock.now  # of the present iteration, or of the next one
        self._timer: Timer | None = None
        self._seen: set[object] = set()
        self._resting = False
        self._settle = settle
        self.running = False

    def wake(self) -> None:
        """Says that there may be something to try, or that something has changed."""
        if self.running:
            return
        self._seen.clear()
        self._plan()

    def _plan(self) -> None:
        if self._timer is not None or not self._queues.has_heads:
            return
        now = self._clock.now
        if self._begin < now and self._resting:
            self._begin += -(-(now - self._begin) // _LONGEST_PAUSE) * _LONGEST_PAUSE
        self._resting = False
        self._timer = self._clock.at(max(now, self._begin), self._run)

    def _run(self) -> None:
        """Runs iterations as long as none of them ends with a pause.

        One that has waited for several requests to the API lets other controllers react first.
        """
        self._timer = None
        while self._begin <= self._clock.now and not self._resting and self._queues.has_heads:
            self._iterate()
            if self._cycle.requests > 1:
                break
        if not self._resting:
            self._plan()

    def _iterate(self) -> None:
        after = self._begin + self._next_pause()
        self.running = True
        try:
            admitted = self._cycle.run()
        finally:
            self.running = False
        if admitted:
            self._pause = None
        elif self._pause is None:
            self._pause = _FIRST_PAUSE
        self._begin = max(self._clock.now, after)
        self._note(self._cycle.stuck)
        self._settle()

    def _note(self, stuck: object) -> None:
        """Takes a rest if a cycle has failed in the same way before, and the pauses do not get longer."""
        if stuck is None:
            self._seen.clear()
        elif stuck in self._seen and self._pause == _LONGEST_PAUSE:
            self._resting = True
        else:
            self._seen.add(stuck)

    def _next_pause(self) -> Nanoseconds:
        """Returns the pause that begins with this iteration, and doubles the next one."""
        pause = self._pause
        if pause is None:
            return 0
        self._pause = min(2 * pause, _LONGEST_PAUSE)
        return pause
