from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wavetank.kernel.durations import SECOND, Nanoseconds

FIRST_DELAY = 10 * SECOND
LONGEST_DELAY = 300 * SECOND
FORGIVEN_AFTER = 600 * SECOND  # a container that ran this long restarts without back-off


class CrashLoop:
    """The back-off between restarts of one container: CrashLoopBackOff.

    The first restart is immediate; then 10 s, doubled up to 5 minutes, reset after a run of 10 minutes.
    """

    __slots__ = ("delay",)

    def __init__(self, delay: Nanoseconds = 0) -> None:
        self.delay = delay  # before the next restart

    @classmethod
    def after(cls, starts: Sequence[Nanoseconds], takes: Nanoseconds) -> CrashLoop:
        """Returns the back-off of a container with these starts, whose runs take so long unless they were killed."""
        loop = cls()
        for start, following in pairwise(starts):
            loop.next_delay(min(takes, following - start))
        return loop

    def next_delay(self, ran_for: Nanoseconds) -> Nanoseconds:
        """Returns the delay before the next start, after a run of `ran_for`."""
        if ran_for >= FORGIVEN_AFTER:
            self.delay = 0
        delay = self.delay
        self.delay = min(max(2 * delay, FIRST_DELAY), LONGEST_DELAY)
        return delay
