from __future__ import annotations

from collections.abc import Callable

from wavetank.controllers.karpenter.settings import Settings
from wavetank.kernel.clock import SCHEDULERS, Clock, Timer
from wavetank.kernel.durations import Nanoseconds


class Batcher:
    """Collects triggers and calls `run` when none has come for the idle time, or after the longest time of a batch.

    Something that triggers twice within one batch counts once.
    """

    def __init__(self, clock: Clock, settings: Settings, run: Callable[[], None]) -> None:
        self._clock = clock
        self._settings = settings
        self._run = run
        self._seen: set[str] = set()
        self._until: Nanoseconds = 0
        self._timer: Timer | None = None

    def trigger(self, uid: str) -> None:
        """Begins a batch, or prolongs the present one."""
        if uid in self._seen:
            return
        self._seen.add(uid)
        now = self._clock.now
        if self._timer is None:
            self._until = now + self._settings.batch_max
        else:
            self._timer.cancel()
        self._timer = self._clock.at(min(now + self._settings.batch_idle, self._until), self._end, SCHEDULERS)

    def _end(self) -> None:
        self._timer = None
        self._seen.clear()
        self._run()
