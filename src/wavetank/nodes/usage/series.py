from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds


class StepSeries:
    """A value over time that changes in steps: each holds from its time to the next; there is none before the first."""

    __slots__ = ("_times", "_values")

    def __init__(self, steps: Iterable[tuple[Nanoseconds, int]]) -> None:
        pairs = list(steps)
        self._times = [time for time, _ in pairs]
        self._values = [value for _, value in pairs]
        if any(later <= earlier for earlier, later in zip(self._times, self._times[1:], strict=False)):
            raise InputError("the times of a series must rise from step to step")

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value at a time."""
        index = bisect_right(self._times, time) - 1
        return self._values[index] if index >= 0 else None
