"""Values over time, in thousandths of their unit: of cores, of bytes, of requests per second."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.quantity import milli


class Series(Protocol):
    """A value over time."""

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value at a time, in thousandths; None if there is none yet."""


class Constant:
    """A value that never changes."""

    __slots__ = ("_value",)

    def __init__(self, value: int) -> None:
        self._value = value

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value."""
        return self._value


class StepSeries:
    """A value that changes in steps: each holds from its time to the next one; there is none before the first.

    With a `period` the series begins again after it.
    """

    __slots__ = ("_period", "_times", "_values")

    def __init__(self, steps: Iterable[tuple[Nanoseconds, int]], period: Nanoseconds | None = None) -> None:
        pairs = list(steps)
        self._times = [time for time, _ in pairs]
        self._values = [value for _, value in pairs]
        self._period = period
        if any(later <= earlier for earlier, later in zip(self._times, self._times[1:], strict=False)):
            raise InputError("the times of a series must rise from step to step")

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value at a time."""
        index = bisect_right(self._times, time if self._period is None else time % self._period) - 1
        return self._values[index] if index >= 0 else None


class FunctionSeries:
    """A value that a function of the time in seconds returns, in whole units."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[float], float]) -> None:
        self._function = function

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value at a time, rounded to thousandths."""
        return round(self._function(time / SECOND) * 1000)


class Shifted:
    """A series that begins at a later time than 0."""

    __slots__ = ("_series", "_start")

    def __init__(self, series: Series, start: Nanoseconds) -> None:
        self._series = series
        self._start = start

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value at a time."""
        return self._series.at(time - self._start)


def read_series(file: Path, period: Nanoseconds | None = None) -> StepSeries:
    """Reads lines `time,value`, with or without a header: a time as a number of seconds or 1h30m, a value as 250m or 2.

    InputError, with file and line, for a value that is missing, for what is no number, and for times that do not rise.
    """
    steps: list[tuple[Nanoseconds, int]] = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(file)) from None
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#") and not (not steps and _is_header(line)):
            step = _read_step(line, str(file), number)
            if steps and step[0] <= steps[-1][0]:
                raise InputError("its time is not after that of the line before", source=str(file), path=_at(number))
            steps.append(step)
    if not steps:
        raise InputError("expected lines such as 60,2.5 (time, value), found none", source=str(file))
    return StepSeries(steps, period)


def _read_step(line: str, source: str, number: int) -> tuple[Nanoseconds, int]:
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != 2:
        raise InputError(f"expected a time and a value, got {line!r:.60}", source=source, path=_at(number))
    if not cells[1]:
        raise InputError("the value is missing", source=source, path=_at(number))
    try:
        return parse_duration(cells[0]), milli(cells[1])
    except InputError as error:
        raise InputError(error.message, source=source, path=_at(number)) from None


def _is_header(line: str) -> bool:
    return not any(cell.strip()[:1].isdigit() for cell in line.split(","))


def _at(number: int) -> str:
    return f"line {number}"
