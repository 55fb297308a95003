"""Schedules of cron jobs, read and followed as the library of the real controllers does."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.textcache import cached_texts

_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_DAYS = {name: number for number, name in enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])}
_NONE: Mapping[str, int] = {}
_FIELDS = ((0, 59, _NONE), (0, 23, _NONE), (1, 31, _NONE), (1, 12, _MONTHS), (0, 6, _DAYS))
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)")
_MOST_INT, _MOST_DIGITS = 2**63 - 1, 4000  # leading zeros are allowed
_YEARS = 5  # that are searched for the next time


class ScheduleError(ValueError):
    """The schedule cannot be read."""


class Schedule(Protocol):
    """Times in virtual time at which something is to begin."""

    def next(self, after: Nanoseconds) -> Nanoseconds | None:
        """Returns the first time after another one; None if there is none within five years."""


@dataclass(frozen=True, slots=True)
class Every:
    """Times at a fixed distance, in whole seconds."""

    seconds: int

    def next(self, after: Nanoseconds) -> Nanoseconds | None:
        """Returns the time that is one distance later, on a whole second."""
        return (after // SECOND + self.seconds) * SECOND


@dataclass(frozen=True, slots=True)
class Calendar:
    """Times by the calendar of a zone: the fields hold the minutes, hours, days, months and week days that fit."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool  # whether days or week days were left open: then both must fit, else one of them
    zone: tzinfo

    def next(self, after: Nanoseconds) -> Nanoseconds | None:
        """Returns the first time after another one; None if there is none within five years."""
        unix = after // SECOND + 1 + EPOCH_SECONDS
        last, moved = self._local(unix).year + _YEARS, False
        while (local := self._local(unix)).year <= last:
            if local.month not in self.months:
                unix = self._unix(_a_month_later(local if moved else local.replace(day=1, hour=0, minute=0, second=0)))
            elif not self._fits(local):
                unix = self._next_midnight(local if moved else local.replace(hour=0, minute=0, second=0))
            elif local.hour not in self.hours:
                unix = (unix if moved else self._unix(local.replace(minute=0, second=0))) + 3600
            elif local.minute not in self.minutes:
                unix = unix - local.second + 60
            elif local.second:
                unix += 60 - local.second
            else:
                return (unix - EPOCH_SECONDS) * SECOND
            moved = True
        return None

    def _fits(self, local: datetime) -> bool:
        day, weekday = local.day in self.days, local.isoweekday() % 7 in self.weekdays
        return (day and weekday) if self.any_day else (day or weekday)

    def _next_midnight(self, local: datetime) -> int:
        """Returns the midnight after another one, or an hour beside it where clocks are changed then."""
        unix = self._unix(local + timedelta(days=1))
        hour = self._local(unix).hour
        if hour:
            unix += (24 - hour) * 3600 if hour > 12 else -hour * 3600
        return unix

    def _local(self, unix: int) -> datetime:
        return datetime.fromtimestamp(unix, self.zone).replace(tzinfo=None)

    def _unix(self, local: datetime) -> int:
        """Returns the time of a date on the wall; one that the clocks skip is read by the offset before."""
        unix = int(local.replace(tzinfo=UTC).timestamp())
        return unix - self._offset(unix - self._offset(unix))

    def _offset(self, unix: int) -> int:
        offset = datetime.fromtimestamp(unix, self.zone).utcoffset()
        assert offset is not None
        return int(offset.total_seconds())


def parse_schedule(text: str, zone: str = "") -> Schedule:
    """Reads a schedule, in a zone unless it names one itself; ScheduleError in the real library's words."""
    if not text:
        raise ScheduleError("empty spec string")
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, space, text = text.partition("=")[2].partition(" ")
        if not space:
            raise ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]")
        if not is_zone(zone):
            raise ScheduleError(f"provided bad location {zone}: unknown time zone {zone}")
        text = text.strip()
    if text.startswith("@every "):
        return _read_every(text)
    if text.startswith("@") and text not in _DESCRIPTORS:
        raise ScheduleError(f"unrecognized descriptor: {text}")
    fields = _DESCRIPTORS.get(text, text).split()
    if len(fields) != len(_FIELDS):
        raise ScheduleError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    read = [_read_field(field, place) for place, field in enumerate(fields)]
    if zone and not is_zone(zone):
        raise ScheduleError(f"unknown time zone {zone}")
    minutes, hours, days, months, weekdays = (numbers for numbers, _ in read)
    any_day = read[2][1] or read[4][1]
    return Calendar(minutes, hours, days, months, weekdays, any_day, zoneinfo.ZoneInfo(zone) if zone else UTC)


def is_zone(name: str) -> bool:
    """Returns whether there is a time zone of that name."""
    for part in name.split("/"):
        if part in (".", "..") or part.startswith("-") or not re.fullmatch(r"[A-Za-z.\-_0-9+]{1,14}", part):
            return False
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _a_month_later(local: datetime) -> datetime:
    """Returns a date of the next month; a day that it does not have is one of the month after."""
    year, month = (local.year + 1, 1) if local.month == 12 else (local.year, local.month + 1)
    return local.replace(year=year, month=month, day=1) + timedelta(days=local.day - 1)


def _read_every(text: str) -> Every:
    duration = text.removeprefix("@every ")
    if duration != "0" and not re.fullmatch(f"(?:{_PART.pattern})+", duration):
        raise ScheduleError(f'failed to parse duration {text}: time: invalid duration "{duration}"')
    total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(duration))
    if total > _MOST_INT:
        raise ScheduleError(f'failed to parse duration {text}: time: invalid duration "{duration}"')
    return Every(max(int(total) // SECOND, 1))


# One of a megabyte takes a second and is read when it is checked and again by the controller: a few are kept.
@cached_texts(32, long=4_000_000)
def _read_field(text: str, place: int) -> tuple[frozenset[int], bool]:
    """Returns the numbers of the field at a place, and whether it was left open."""
    lowest, highest, words = _FIELDS[place]
    numbers: set[int] = set()
    is_open = False
    for part in filter(None, dict.fromkeys(text.split(","))):
        found, star = _read_range(part, lowest, highest, words)
        numbers.update(found)
        is_open = is_open or star
    return frozenset(numbers), is_open


def _read_range(text: str, lowest: int, highest: int, words: Mapping[str, int]) -> tuple[range, bool]:
    span, *steps = text.split("/")
    ends = span.split("-")
    is_open = ends[0] in ("*", "?")
    if is_open:
        start, end = lowest, highest
    else:
        start = _number(ends[0], words)
        if len(ends) > 2:
            raise ScheduleError(f"too many hyphens: {text}")
        end = _number(ends[1], words) if len(ends) == 2 else start
    if len(steps) > 1:
        raise ScheduleError(f"too many slashes: {text}")
    step = _number(steps[0], {}) if steps else 1
    if steps and len(ends) == 1:
        end = highest
    _check_range(text, start, end, step, lowest, highest)
    return range(start, end + 1, step), is_open and step == 1


def _check_range(text: str, start: int, end: int, step: int, lowest: int, highest: int) -> None:
    if start < lowest:
        raise ScheduleError(f"beginning of range ({start}) below minimum ({lowest}): {text}")
    if end > highest:
        raise ScheduleError(f"end of range ({end}) above maximum ({highest}): {text}")
    if start > end:
        raise ScheduleError(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if step == 0:
        raise ScheduleError(f"step of range should be a positive number: {text}")


def _number(text: str, words: Mapping[str, int]) -> int:
    if text.lower() in words:
        return words[text.lower()]
    if not re.fullmatch("[+-]?[0-9]+", text):
        raise ScheduleError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    if len(text) > _MOST_DIGITS or not -_MOST_INT - 1 <= int(text) <= _MOST_INT:
        raise ScheduleError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": value out of range')
    if int(text) < 0:
        raise ScheduleError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)
