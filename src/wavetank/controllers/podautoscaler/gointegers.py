"""Go's integer arithmetic on amd64, where a result may not fit."""

from __future__ import annotations

import math

MAX_INT32, MIN_INT32 = 2**31 - 1, -(2**31)
MAX_INT64, MIN_INT64 = 2**63 - 1, -(2**63)


def int64(number: int) -> int:
    """Returns what is left of a number in 64 bits."""
    return number if MIN_INT64 <= number <= MAX_INT64 else (number - MIN_INT64) % 2**64 + MIN_INT64


def int32(number: int) -> int:
    """Returns what is left of a number in 32 bits."""
    return number if MIN_INT32 <= number <= MAX_INT32 else (number - MIN_INT32) % 2**32 + MIN_INT32


def divided(number: int, by: int) -> int:
    """Returns a quotient, cut off towards zero."""
    return number // by if (number >= 0) == (by > 0) else -(-number // by)


def ratio(number: float, by: float) -> float:
    """Returns a quotient of floats; one by zero is infinite or not a number."""
    if by == 0:
        return math.nan if number == 0 or math.isnan(number) else math.copysign(math.inf, number)
    return number / by


def ceil_int32(number: float) -> int:
    """Returns int32(math.Ceil(number)): the smallest integer if it does not fit."""
    rounded = math.ceil(number) if math.isfinite(number) else MAX_INT64
    return rounded if MIN_INT32 <= rounded <= MAX_INT32 else MIN_INT32


def ceil_int64(number: float) -> int:
    """Returns int64(math.Ceil(number)): the smallest integer if it does not fit."""
    rounded = math.ceil(number) if math.isfinite(number) else 2**64
    return rounded if MIN_INT64 <= rounded <= MAX_INT64 else MIN_INT64
