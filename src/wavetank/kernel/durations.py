"""Time as the simulation counts it: whole nanoseconds, read from and written as what people type."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from wavetank.errors import InputError

Nanoseconds = int

SECOND: Nanoseconds = 1_000_000_000
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_UNITS["d"] = 24 * _UNITS["h"]
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d)")
_EXPECTED = "expected a duration such as 90, 1.5, 500ms, 2m30s or 1h"


def seconds(value: float) -> Nanoseconds:
    """Returns `value` seconds in nanoseconds, rounded to the nearest."""
    return round(value * SECOND)


def parse_duration(value: object, *, path: str = "") -> Nanoseconds:
    """Reads a duration: a number is seconds, a string carries its units. Negative ones are an error."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{_EXPECTED}, got {value!r}", path=path)
    if isinstance(value, str):
        return _parse_text(value, path)
    if (isinstance(value, float) and not math.isfinite(value)) or value < 0:
        raise InputError(f"a duration cannot be {value!r}: expected a number of seconds, 0 or more", path=path)
    # so large a float is a whole number, and its product with a float would be infinite one day
    return seconds(value) if value < 2**53 else int(value) * SECOND


def _parse_text(text: str, path: str) -> Nanoseconds:
    if re.fullmatch(r"\d+(\.\d*)?|\.\d+", text):
        return round(Decimal(text) * SECOND)
    if text.startswith("-"):
        raise InputError(f"a duration cannot be negative: {text!r}", path=path)
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise InputError(f"{_EXPECTED}, got {text!r}", path=path)
    return round(sum(Decimal(number) * _UNITS[unit] for number, unit in parts))


def format_seconds(time: Nanoseconds) -> str:
    """Writes a time as a decimal number of seconds, exactly and without trailing zeros: 12.5."""
    whole, rest = divmod(time, SECOND)
    return f"{whole}.{rest:09d}".rstrip("0") if rest else str(whole)


def render_duration(duration: Nanoseconds) -> str:
    """Returns a duration as Go prints it, such as 15m0s."""
    minutes, rest = divmod(duration, 60 * SECOND)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest // SECOND}" if rest % SECOND == 0 else f"{rest / SECOND:.9f}".rstrip("0")
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "") + f"{seconds}s"
