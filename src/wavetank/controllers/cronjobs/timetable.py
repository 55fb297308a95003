"""The scheduled times of a CronJob."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from wavetank.cluster.objects.resource import EPOCH_SECONDS, Resource, parse_time
from wavetank.cluster.rules.cron import Schedule, parse_schedule
from wavetank.kernel.durations import SECOND, Nanoseconds

_PADDING: Nanoseconds = SECOND // 10  # a CronJob is synced this long after it is due
_MANY = 100  # missed times that cause a warning


class ImpossibleScheduleError(ValueError):
    """The times of a schedule do not increase."""


class Due(NamedTuple):
    """The last time at which a CronJob was due, if any; the start of the search, and how many times were missed."""

    time: Nanoseconds | None
    since: Nanoseconds
    missed: int = 0

    @property
    def missed_many(self) -> bool:
        """Tells whether so many times were missed that something may be wrong."""
        return self.missed > _MANY


@dataclass(frozen=True)
class Timetable:
    """The schedule of one CronJob, with its last run."""

    schedule: Schedule
    created: Nanoseconds
    last: Nanoseconds | None
    deadline_s: int | None

    @classmethod
    def of(cls, cron_job: Resource) -> Timetable:
        """Reads a CronJob's schedule; ScheduleError if it is invalid."""
        spec, status = cron_job.manifest.get("spec") or {}, cron_job.manifest.get("status") or {}
        schedule = parse_schedule(str(spec.get("schedule") or ""), str(spec.get("timeZone") or ""))
        last = parse_time(status.get("lastScheduleTime"), "status.lastScheduleTime")
        return cls(schedule, cron_job.created // SECOND * SECOND, last, spec.get("startingDeadlineSeconds"))

    def due(self, now: Nanoseconds) -> Due:
        """Returns the last scheduled time that may still be started."""
        return self._recent(now, self.deadline_s)

    def wait(self, now: Nanoseconds) -> Nanoseconds:
        """Returns the time until the next scheduled time."""
        try:
            recent = self._recent(now, None)
            after = recent.time if recent.time is not None else now if recent.missed else recent.since
        except ImpossibleScheduleError:
            after = now
        next_one = self.schedule.next(after)
        return max(0, (now if next_one is None else next_one) + _PADDING - now)

    def _recent(self, now: Nanoseconds, deadline_s: int | None) -> Due:
        since = self.created if self.last is None else self.last
        if deadline_s is not None:
            since = max(since, now - deadline_s * SECOND)
        first = self.schedule.next(since)
        second = None if first is None else self.schedule.next(first)
        if first is None or second is None:
            raise ImpossibleScheduleError("time difference between two schedules is less than 1 second")
        if now < first:
            return Due(None, since)
        if now < second:
            return Due(first, since)
        return self._last_missed(now, since, first, max((second - first) // SECOND, 1))

    def _last_missed(self, now: Nanoseconds, since: Nanoseconds, first: Nanoseconds, gap_s: int) -> Due:
        """Returns the last of several missed times, starting close to it."""
        missed = (now - first) // SECOND // gap_s + 1
        last, time = None, self.schedule.next(first + (missed - 2) * gap_s * SECOND)
        while time is not None and time <= now:
            last, time = time, self.schedule.next(time)
        return Due(last, since, missed)


def in_zone(time: Nanoseconds, zone: str) -> str:
    """Renders a time in a time zone."""
    local = datetime.fromtimestamp(EPOCH_SECONDS + time // SECOND, ZoneInfo(zone) if zone else UTC)
    return local.isoformat().replace("+00:00", "Z")


def minutes(time: Nanoseconds) -> int:
    """Returns the minutes since 1970, which are part of a Job's name."""
    return (EPOCH_SECONDS + time // SECOND) // 60
