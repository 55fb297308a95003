"""Columns of times as cells of CSV: what a table of a million pods is mostly made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wavetank.kernel.compiling import compiled
from wavetank.kernel.durations import SECOND

Integers = NDArray[np.int64]

NEVER = -1  # in a column of times
_WIDEST = 22  # characters: 19 digits, a leading zero, the point and the end of the line
_PLAIN = 8_000_000 * SECOND  # up to here a float of seconds is less than half a nanosecond off


def seconds_cells(*columns: Integers) -> list[str]:
    """Writes the nanoseconds of each row in seconds, exactly and without trailing zeros, NEVER as nothing."""
    return _lines(np.stack(columns, axis=1), 9, shortest=True)


def microsecond_cells(*columns: Integers) -> list[str]:
    """Writes the nanoseconds of each row in seconds, as `f"{time / SECOND:.6f}"` does."""
    times = np.stack(columns, axis=1)
    lines = _lines((times + 500) // 1000, 6, shortest=False)
    unclear = (times % 1000 == 500) | (times > _PLAIN)  # the float decides how to round
    for i in np.flatnonzero(unclear.any(axis=1)).tolist():
        lines[i] = ",".join(f"{time / SECOND:.6f}" for time in times[i].tolist())
    return lines


def _lines(values: Integers, places: int, shortest: bool) -> list[str]:
    text = np.empty(values.size * _WIDEST, np.uint8)
    end = _put_lines(values, places, shortest, text)
    return text[:end].tobytes().decode("ascii").split("\n")[:-1]


@compiled()
def _put_lines(values: Integers, places: int, shortest: bool, out: NDArray[np.uint8]) -> int:
    """Writes each row of values × 10^-places as a line of CSV, negative ones as empty cells; returns their end."""
    end = 0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            if values[row, column] >= 0:
                end = _put_decimal(values[row, column], places, end, out)
                if shortest:
                    end = _without_zeros(end, out)
            out[end] = 44  # ,
            end += 1
        out[end - 1] = 10
    return end


@compiled()
def _put_decimal(value: int, places: int, begin: int, out: NDArray[np.uint8]) -> int:
    digits, rest = 1, value // 10
    while rest > 0 or digits <= places:
        digits += 1
        rest //= 10
    position = begin + digits
    for place in range(digits):
        if place == places:
            out[position] = 46  # .
            position -= 1
        out[position] = 48 + value % 10
        value //= 10
        position -= 1
    return begin + digits + 1


@compiled()
def _without_zeros(end: int, out: NDArray[np.uint8]) -> int:
    while out[end - 1] == 48:
        end -= 1
    return end - 1 if out[end - 1] == 46 else end
