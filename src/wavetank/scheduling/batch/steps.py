from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np

from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.batch.job import FOREVER, BatchJob, Placement
from wavetank.scheduling.framework.nodes.arrays import IntArray


class Steps:
    """The free resources of nodes as steps in time, each an array (rows by slots): any place in time can be looked at.

    A change takes time by the number of steps, so this is for jobs that have to fit between reservations.
    """

    def __init__(self, times: list[Nanoseconds], levels: list[IntArray]) -> None:
        self._times = times
        self._levels = levels

    @property
    def now(self) -> Nanoseconds:
        """Returns when the first step begins."""
        return self._times[0]

    def begin(self, now: Nanoseconds) -> None:
        """Forgets what lies before `now`."""
        past = bisect_right(self._times, now) - 1
        del self._times[:past], self._levels[:past]
        self._times[0] = now

    def take(self, start: Nanoseconds, end: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        """Takes amounts (rows by slots) from `start` up to `end`; FOREVER is no end, and what is past is past."""
        for level in self._between(start, end):
            level[:, slots] -= amounts

    def give_back(self, start: Nanoseconds, end: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        """Undoes `take`, or the rest of it."""
        for level in self._between(start, end):
            level[:, slots] += amounts
        self._merge(start)
        self._merge(end)

    def earliest(self, job: BatchJob) -> tuple[Nanoseconds, Placement] | None:
        """Returns when a job can start first, and where; None if never."""
        step = 0
        while step < len(self._times):
            after, placement = self._place_at(step, job)
            if placement is not None:
                return self._times[step], placement
            step = after
        return None

    def _place_at(self, step: int, job: BatchJob) -> tuple[int, Placement | None]:
        """Returns the place of a job that starts with a step, or the next step that may have one."""
        until = min(self._times[step] + job.takes, FOREVER)
        end = bisect_left(self._times, until, step + 1)
        lowest = self._levels[step]
        if not job.fits(lowest):
            return step + 1, None
        for i in range(step + 1, end):
            if not job.fits(self._levels[i]):
                return i + 1, None  # jobs that start up to there are still running then
            lowest = np.minimum(lowest, self._levels[i])
        return step + 1, job.place(lowest)

    def _between(self, start: Nanoseconds, end: Nanoseconds) -> Iterator[IntArray]:
        start = max(start, self.now)
        if start < end:
            first = self._split(start)
            last = self._split(end) if end < FOREVER else len(self._levels)
            yield from self._levels[first:last]

    def _split(self, time: Nanoseconds) -> int:
        """Lets a step begin at a time, and returns its index."""
        i = bisect_left(self._times, time)
        if i == len(self._times) or self._times[i] != time:
            self._times.insert(i, time)
            self._levels.insert(i, self._levels[i - 1].copy())
        return i

    def _merge(self, time: Nanoseconds) -> None:
        """Forgets a step at which nothing changes any more."""
        i = bisect_left(self._times, time)
        if 0 < i < len(self._times) and np.array_equal(self._levels[i], self._levels[i - 1]):
            del self._times[i], self._levels[i]
