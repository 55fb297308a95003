"""Schedules of cron jobs and their time zones."""

from __future__ import annotations

from wavetank.cluster.rules.cron import ScheduleError, is_zone, parse_schedule


def schedule_problem(schedule: str) -> str:
    """Returns what is wrong with a schedule, or nothing."""
    try:
        parse_schedule(schedule)
    except ScheduleError as error:
        return str(error)
    return ""


def zone_problem(zone: str) -> str:
    """Returns what is wrong with the name of a time zone, or nothing."""
    if not zone:
        return "timeZone must be nil or non-empty string"
    if zone.lower() == "local":
        return "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
    return "" if is_zone(zone) else f"unknown time zone {zone}"
