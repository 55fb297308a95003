from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterator

import numpy as np

from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.batch.job import FOREVER, BatchJob, Placement
from wavetank.scheduling.batch.steps import Steps
from wavetank.scheduling.framework.nodes.arrays import IntArray


class Timeline:
    """The free resources of nodes from now on, as far as is known: those of now, and the changes in the future.

    Amounts are arrays (rows by slots). As long as nothing is reserved for later, resources only become free: what fits
    now fits on. Levels of the future are kept only for the beginnings of reservations, where less is free than before,
    and all of them only while a job has to fit between reservations.
    """

    def __init__(self, capacity: IntArray, now: Nanoseconds) -> None:
        self.now = now
        self._free = capacity.copy()
        self._times: list[Nanoseconds] = []  # of the changes, in order
        self._changes: dict[Nanoseconds, IntArray] = {}
        self._reserved: Counter[Nanoseconds] = Counter()  # reservations that have not begun, by their beginning
        self._dips: dict[Nanoseconds, IntArray] = {}  # levels at beginnings of reservations that were asked for
        self._steps: Steps | None = None

    def begin(self, now: Nanoseconds) -> None:
        """Forgets what lies before `now`."""
        past = bisect_right(self._times, now)
        for time in self._times[:past]:
            self._free += self._changes.pop(time)
        del self._times[:past]
        for start in [start for start in self._reserved if start <= now]:
            del self._reserved[start]
            self._dips.pop(start, None)
        self.now = now
        if self._steps is not None:
            self._steps.begin(now)
        self._forget_levels()

    def take(self, start: Nanoseconds, end: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        """Takes amounts from `start` up to `end`; FOREVER is no end, and what is past is past."""
        self._change(start, end, slots, -amounts)
        if self._steps is not None:
            self._steps.take(start, end, slots, amounts)

    def give_back(self, start: Nanoseconds, end: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        """Undoes `take`, or the rest of it."""
        self._change(start, end, slots, amounts)
        if self._steps is not None:
            self._steps.give_back(start, end, slots, amounts)

    def reserve(self, start: Nanoseconds, end: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        """Takes amounts for a job that starts now or later."""
        self.take(start, end, slots, amounts)
        if start > self.now:
            self._reserved[start] += 1

    def cancel(self, start: Nanoseconds, end: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        """Undoes `reserve`."""
        self.give_back(start, end, slots, amounts)
        if start in self._reserved:
            self._reserved[start] -= 1
            if not self._reserved[start]:
                del self._reserved[start]
                self._dips.pop(start, None)
        self._forget_levels()

    def place_now(self, job: BatchJob) -> Placement | None:
        """Returns where a job can run if it starts now; None if it cannot."""
        lowest = self._free
        for start in self._reserved:
            if start < self.now + job.takes:
                lowest = np.minimum(lowest, self._dip(start))
        return job.place(lowest)

    def earliest(self, job: BatchJob) -> tuple[Nanoseconds, Placement] | None:
        """Returns when a job can start first, and where; None if never."""
        if self._reserved:
            if self._steps is None:
                self._steps = self._all_steps()
            return self._steps.earliest(job)
        for time, level in self._levels():
            placement = job.place(level) if job.fits(level) else None
            if placement is not None:
                return time, placement
        return None

    def _change(self, start: Nanoseconds, end: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        """Adds amounts from `start` up to `end`."""
        start = max(start, self.now)
        if start >= end:
            return
        if start == self.now:
            self._free[:, slots] += amounts
        else:
            self._change_at(start, slots, amounts)
        if end < FOREVER:
            self._change_at(end, slots, -amounts)
        for time, level in self._dips.items():
            if start <= time < end:
                level[:, slots] += amounts

    def _change_at(self, time: Nanoseconds, slots: IntArray, amounts: IntArray) -> None:
        change = self._changes.get(time)
        if change is None:
            change = self._changes[time] = np.zeros_like(self._free)
            insort(self._times, time)
            change[:, slots] = amounts
            return
        change[:, slots] += amounts
        if not change.any():  # a job that ended early, or was planned anew
            del self._changes[time]
            del self._times[bisect_left(self._times, time)]

    def _dip(self, start: Nanoseconds) -> IntArray:
        """Returns the level at the beginning of a reservation."""
        level = self._dips.get(start)
        if level is None:
            level = self._dips[start] = self._free.copy()
            for time in self._times[: bisect_right(self._times, start)]:
                level += self._changes[time]
        return level

    def _levels(self) -> Iterator[tuple[Nanoseconds, IntArray]]:
        """Yields the times at which something changes, and the level from then on, in the same array."""
        level = self._free.copy()
        yield self.now, level
        for time in self._times:
            level += self._changes[time]
            yield time, level

    def _all_steps(self) -> Steps:
        times, levels = zip(*((time, level.copy()) for time, level in self._levels()), strict=True)
        return Steps(list(times), list(levels))

    def _forget_levels(self) -> None:
        """Forgets levels that are not needed as long as nothing is reserved."""
        if not self._reserved:
            self._steps = None
            self._dips.clear()
