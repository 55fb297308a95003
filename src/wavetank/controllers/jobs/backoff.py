"""The back-off before a Job replaces failed pods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wavetank.kernel.durations import SECOND, Nanoseconds

_FIRST: Nanoseconds = 10 * SECOND
_LONGEST: Nanoseconds = 600 * SECOND


class Failures(NamedTuple):
    """How many pods of a Job have failed since the last success, and when the last of them did."""

    number: int = 0
    last: Nanoseconds | None = None

    def after(self, succeeded: Sequence[Nanoseconds], failed: Sequence[Nanoseconds]) -> Failures:
        """Returns the failures after more pods have finished, at these times."""
        if not succeeded:
            return Failures(self.number + len(failed), max(failed)) if failed else self
        later = [time for time in failed if time > max(succeeded)]
        return Failures(len(later), max(later, default=None))

    def remaining(self, now: Nanoseconds) -> Nanoseconds:
        """Returns the remaining back-off."""
        return remaining_wait(self.number, self.last, now)


def remaining_wait(failures: int, last: Nanoseconds | None, now: Nanoseconds) -> Nanoseconds:
    """Returns the remaining back-off after so many failures: 10 s, doubled with each failure, at most 10 minutes."""
    if not failures or last is None:
        return 0
    return max(0, min(_FIRST << min(failures - 1, 16), _LONGEST) - (now - last))
