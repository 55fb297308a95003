"""Schedules of cron jobs, read as the library of the real server reads them."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Mapping

_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_DAYS = {name: number for number, name in enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])}
_NONE: Mapping[str, int] = {}
_FIELDS = ((0, 59, _NONE), (0, 23, _NONE), (1, 31, _NONE), (1, 12, _MONTHS), (0, 6, _DAYS))
_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_DURATION = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)"


class ScheduleError(ValueError):
    """The schedule cannot be read."""


def schedule_problem(schedule: str) -> str:
    """Returns what is wrong with a schedule, or nothing."""
    try:
        _read(schedule)
    except ScheduleError as error:
        return str(error)
    return ""


def zone_problem(zone: str) -> str:
    """Returns what is wrong with the name of a time zone, or nothing."""
    if not zone:
        return "timeZone must be nil or non-empty string"
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or not re.fullmatch(r"[A-Za-z.\-_0-9+]{1,14}", part):
            return f"unknown time zone {zone}"
    if zone.lower() == "local":
        return "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return f"unknown time zone {zone}"
    return ""


def _read(schedule: str) -> None:
    if not schedule:
        raise ScheduleError("empty spec string")
    text = schedule
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, space, text = text.partition("=")[2].partition(" ")
        if not space:
            raise ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]")
        if zone_problem(zone):
            raise ScheduleError(f"provided bad location {zone}: unknown time zone {zone}")
        text = text.strip()
    if text.startswith("@"):
        _read_descriptor(text)
        return
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise ScheduleError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    for field, bounds in zip(fields, _FIELDS, strict=True):
        for part in filter(None, field.split(",")):
            _read_range(part, *bounds)


def _read_descriptor(text: str) -> None:
    if text in _DESCRIPTORS:
        return
    if not text.startswith("@every "):
        raise ScheduleError(f"unrecognized descriptor: {text}")
    if not re.fullmatch(f"({_DURATION})+|0", text.removeprefix("@every ")):
        duration = text.removeprefix("@every ")
        raise ScheduleError(f'failed to parse duration {text}: time: invalid duration "{duration}"')


def _read_range(text: str, lowest: int, highest: int, words: Mapping[str, int]) -> None:
    span, *steps = text.split("/")
    ends = span.split("-")
    if ends[0] in ("*", "?"):
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
    if int(text) < 0:
        raise ScheduleError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)
