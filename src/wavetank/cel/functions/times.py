"""Functions of times and durations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wavetank.cel.values import Duration, EvaluationError, Timestamp


def show_timestamp(time: Timestamp) -> str:
    """Writes a time as RFC 3339 does, with as many digits as it has."""
    fraction = f"{time.nanos % 10**9:09d}".rstrip("0")
    return f"{time.moment:%Y-%m-%dT%H:%M:%S}{'.' + fraction if fraction else ''}Z"


def show_duration(duration: Duration) -> str:
    """Writes a duration in seconds."""
    sign, nanos = ("-", -duration.nanos) if duration.nanos < 0 else ("", duration.nanos)
    fraction = f"{nanos % 10**9:09d}".rstrip("0")
    return f"{sign}{nanos // 10**9}{'.' + fraction if fraction else ''}s"


def _local(time: Timestamp, zone: str) -> datetime:
    if not zone:
        return time.moment
    if (zone[0] in "+-" and ":" in zone) or zone[:1].isdigit():
        hours, minutes = zone.split(":")
        offset = timedelta(hours=int(hours), minutes=int(minutes) * (-1 if zone.startswith("-") else 1))
        return time.moment.astimezone(timezone(offset))
    try:
        return time.moment.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError):
        raise EvaluationError(f"unknown time zone {zone}") from None


def _part(read: Callable[[datetime], int], unit: int = 0, wrap: bool = False) -> Callable[..., int]:
    """Makes a function that reads a part of a time; of a duration it is a whole number of `unit` nanoseconds."""

    def find(value: Any, zone: str = "") -> int:
        if isinstance(value, Duration):
            if not unit:
                raise EvaluationError("no such overload")
            whole = abs(value.nanos) // unit
            return (whole if value.nanos >= 0 else -whole) % 1000 if wrap else whole if value.nanos >= 0 else -whole
        return read(_local(value, zone))

    return find


TIME_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "getDate": _part(lambda moment: moment.day),
    "getDayOfMonth": _part(lambda moment: moment.day - 1),
    "getDayOfWeek": _part(lambda moment: moment.isoweekday() % 7),
    "getDayOfYear": _part(lambda moment: moment.timetuple().tm_yday - 1),
    "getFullYear": _part(lambda moment: moment.year),
    "getMonth": _part(lambda moment: moment.month - 1),
    "getHours": _part(lambda moment: moment.hour, 3600 * 10**9),
    "getMinutes": _part(lambda moment: moment.minute, 60 * 10**9),
    "getSeconds": _part(lambda moment: moment.second, 10**9),
    "getMilliseconds": _part(lambda moment: moment.microsecond // 1000, 10**6, wrap=True),
}
