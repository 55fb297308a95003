"""Times and durations as Go reads and writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.cel.gotext import quote
from wavetank.textcache import cached_text

_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_SECONDS_LAYOUT = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"
# The parts of a layout, and how a text must begin to have them.
_PARTS = re.compile(r"2006|01|02|15|04|05|\.000000|Z07:00|.")
_WRITTEN = {
    "2006": r"\d{4}",
    "01": r"0[1-9]|1[0-2]",
    "02": r"\d\d",
    "15": r"[01]\d|2[0-3]",
    "04": r"[0-5]\d",
    "05": r"[0-5]\d",
    ".000000": r"[.,]\d{6}(?!\d)",
    "Z07:00": r"Z|[+-]\d\d:\d\d",
}
_ZERO = datetime(1, 1, 1, tzinfo=UTC)
_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS_NS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_DURATION = re.compile(r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
_DURATION_PART = re.compile(r"(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)", re.ASCII)


@cached_text(4096)
def canonical_time(text: str) -> str | None:
    """Returns a time in UTC and whole seconds; None for Go's zero time, which is written as null."""
    moment = _parse(text, _SECONDS_LAYOUT, fraction_free=True)
    return None if moment == _ZERO else _written(moment, "seconds")


def canonical_microtime(text: str) -> str | None:
    """Returns a time in UTC and microseconds, which have to be written in full; None for Go's zero time."""
    moment = _parse(text, _MICRO_LAYOUT, fraction_free=False)
    return None if moment == _ZERO else _written(moment, "microseconds")


def time_of(seconds: int, nanos: int, micro: bool) -> str | None:
    """Returns the time of a protobuf message, counted from 1970; None for Go's zero time and beyond the calendar."""
    try:
        moment = _UNIX + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        return None
    return None if moment == _ZERO else _written(moment, "microseconds" if micro else "seconds")


def _written(moment: datetime, precision: str) -> str:
    return moment.isoformat(timespec=precision).removesuffix("+00:00") + "Z"


def _parse(text: str, layout: str, fraction_free: bool) -> datetime:
    found = _RFC3339.fullmatch(text)
    if not found or not (fraction_free or len(found[7] or "") == 7):
        raise UnreadableError(_time_error(text, layout))
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    microsecond = int((found[7] or ".0")[1:7].ljust(6, "0"))
    try:
        moment = datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC)
        return moment - _offset(found[8])
    except (ValueError, OverflowError):
        raise UnreadableError(_time_error(text, layout)) from None


def _offset(zone: str) -> timedelta:
    if zone == "Z":
        return timedelta()
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    return offset if zone[0] == "+" else -offset


def _time_error(text: str, layout: str) -> str:
    rest = text
    for part in _PARTS.findall(layout):
        found = re.match(_WRITTEN.get(part, re.escape(part)), rest, re.ASCII)
        if not found:
            wrong = re.match(r"\d\d", rest, re.ASCII) and part in ("01", "15", "04", "05")
            names = {"01": "month", "15": "hour", "04": "minute", "05": "second"}
            if wrong:
                return f"parsing time {quote(text)}: {names[part]} out of range"
            return f"parsing time {quote(text)} as {quote(layout)}: cannot parse {quote(rest)} as {quote(part)}"
        rest = rest[found.end() :]
        if part == "05" and layout == _SECONDS_LAYOUT:
            rest = re.sub(r"^[.,]\d+", "", rest)
    why = f": extra text: {quote(rest)}" if rest else ": day out of range"
    return f"parsing time {quote(text)}{why}"


def canonical_duration(text: str) -> str:
    """Returns a duration as Go writes it: 1h0m0s, 1.5s, 0s."""
    return duration_of(nanoseconds_of(text))


def nanoseconds_of(text: str) -> int:
    """Reads a duration as Go does."""
    if not _DURATION.fullmatch(text):
        raise UnreadableError(f"time: {_duration_error(text)}")
    parts = _DURATION_PART.findall(text)
    nanos: int = sum(
        int((whole or "0") + fraction) * _UNITS_NS[unit] // 10 ** len(fraction) for whole, fraction, unit in parts
    )
    if nanos >= 2**63:
        raise UnreadableError(f"time: invalid duration {quote(text)}")
    return -nanos if text.startswith("-") else nanos


def _duration_error(text: str) -> str:
    rest = text[1:] if text[:1] in ("+", "-") else text
    while number := re.match(r"\d+\.?\d*|\.\d+", rest, re.ASCII):
        unit = re.split(r"[\d.]", rest[number.end() :], maxsplit=1)[0]
        if not unit:
            return f"missing unit in duration {quote(text)}"
        if unit not in _UNITS_NS:
            return f"unknown unit {quote(unit)} in duration {quote(text)}"
        rest = rest[number.end() + len(unit) :]
    return f"invalid duration {quote(text)}"


def duration_of(nanos: int) -> str:
    """Writes nanoseconds as Go does."""
    sign, nanos = ("-", -nanos) if nanos < 0 else ("", nanos)
    if not nanos:
        return "0s"
    for unit in ("ns", "µs", "ms"):
        if nanos < 1000 * _UNITS_NS[unit]:
            return f"{sign}{_decimal(nanos, _UNITS_NS[unit])}{unit}"
    minutes, rest = divmod(nanos, _UNITS_NS["m"])
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}h" if hours else ""
    text += f"{minutes}m" if hours or minutes else ""
    return f"{sign}{text}{_decimal(rest, _UNITS_NS['s'])}s"


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    digits = f"{rest:0{len(str(unit)) - 1}}".rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)
