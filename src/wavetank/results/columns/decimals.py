"""Columns of times as cells of CSV, compiled: most cells of a table of a million pods are times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wavetank.kernel.compiling import compiled
from wavetank.kernel.durations import SECOND

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

NEVER = -1  # in a column of times: no such event
_WIDEST = 22  # characters: 19 digits, a leading zero, the point and the end of the line
_TEN, _ZERO = np.uint64(10), np.uint64(48)  # unsigned: dividing such numbers takes a third of the time
_PLAIN = 8_000_000 * SECOND  # up to here a float of seconds is less than half a nanosecond off
_CLEAR = 1e12  # up to here a product of floats is less than a thousandth off
_EXACT = 1 << 53  # up to here a float is any whole number


def seconds_cells(*columns: Integers) -> list[str]:
    """Writes the nanoseconds of each row in seconds, exactly and without trailing zeros, NEVER as an empty cell."""
    return _lines(np.stack(columns, axis=1), 9, shortest=True)


def microsecond_cells(*times: Integers, ratios: Sequence[Floats] = ()) -> list[str]:
    """Writes the nanoseconds of each row in seconds as `f"{time / SECOND:.6f}"` does, and after them the ratios."""
    rounded = [*map(_microseconds, times), *map(_millionths, ratios)]
    lines = _lines(np.stack([millionths for millionths, _ in rounded], axis=1), 6, shortest=False)
    unclear = np.logical_or.reduce([unclear for _, unclear in rounded])
    for i in np.flatnonzero(unclear).tolist():
        row = [*(int(time[i]) / SECOND for time in times), *(ratio[i] for ratio in ratios)]
        lines[i] = ",".join(f"{number:.6f}" for number in row)
    return lines


def quotients(dividends: Integers, divisors: Integers) -> Floats:
    """Divides as Python divides whole numbers: rounded correctly, however large they are."""
    quotients: Floats = dividends / divisors
    for i in np.flatnonzero((dividends > _EXACT) | (divisors > _EXACT)).tolist():
        quotients[i] = int(dividends[i]) / int(divisors[i])
    return quotients


def seconds_of(times: Integers) -> Floats:
    """Returns times in seconds, NEVER as NaN."""
    return np.where(times == NEVER, np.nan, quotients(times, np.full(len(times), SECOND)))


def _microseconds(times: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """Rounds nanoseconds, and says where a float of seconds might be rounded otherwise."""
    return (times + 500) // 1000, (times % 1000 == 500) | (times > _PLAIN)


def _millionths(numbers: Floats) -> tuple[Integers, NDArray[np.bool_]]:
    """Rounds to six places, and says where it is too close to call."""
    scaled = np.minimum(numbers * 1e6, _CLEAR)
    whole = np.floor(scaled + 0.5)
    return whole.astype(np.int64), (abs(abs(whole - scaled) - 0.5) < 0.001) | (scaled == _CLEAR)


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
    rest, digits, bound = np.uint64(value), 1, _TEN
    while digits <= places or rest >= bound:
        digits += 1
        bound *= _TEN
    position = begin + digits
    for place in range(digits):
        if place == places:
            out[position] = 46  # .
            position -= 1
        out[position] = _ZERO + rest % _TEN
        rest //= _TEN
        position -= 1
    return begin + digits + 1


@compiled()
def _without_zeros(end: int, out: NDArray[np.uint8]) -> int:
    while out[end - 1] == 48:
        end -= 1
    return end - 1 if out[end - 1] == 46 else end
