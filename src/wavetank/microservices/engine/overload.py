"""When a CPU has had more work than it could do."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds

_DEVIATIONS = 4  # by how many standard deviations of a Poisson count a queue must have grown


@dataclass(frozen=True, slots=True)
class Overload:
    """A time in which the queue of a CPU grew; `until` is None if it lasted to the end of the run.

    `queued` requests were there at its beginning, `longest` at its peak.
    """

    since: Nanoseconds
    until: Nanoseconds | None
    queued: int
    longest: int


class OverloadWatch:
    """Finds the overloads of one CPU.

    A CPU is overloaded from the instant at which its requests get less than they can use until the instant at which
    they get all of it again, if that takes at least `shortest`, and if meanwhile the queue has grown by more than
    chance explains: by more than four times the square root of the number of requests that came.
    """

    __slots__ = ("_came", "_longest", "_queued", "_shortest", "_until_peak", "found", "since")

    def __init__(self, shortest: Nanoseconds) -> None:
        self.found: list[Overload] = []
        self._shortest = shortest
        self.since: Nanoseconds | None = None  # of the present shortage
        self._queued = self._came = self._longest = self._until_peak = 0

    def note(self, now: Nanoseconds, is_short: bool, queued: int, came: int) -> None:
        """Notes whether CPU is short from `now` on; `queued` requests are there, `came` have come so far."""
        if not is_short:
            if self.since is not None:
                self.end(now, now)
        elif self.since is None:
            self.since, self._queued, self._came = now, queued, came
            self._longest, self._until_peak = queued, came
        elif queued > self._longest:
            self._longest, self._until_peak = queued, came

    def end(self, now: Nanoseconds, until: Nanoseconds | None) -> None:
        """Ends the present shortage, if there is one; `until` is None at the end of the run."""
        since, self.since = self.since, None
        if since is None or now - since < self._shortest:
            return
        chance = math.sqrt(self._until_peak - self._came)
        if self._longest - self._queued > _DEVIATIONS * chance:
            self.found.append(Overload(since, until, self._queued, self._longest))
