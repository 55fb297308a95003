"""When the schedules of cron jobs are due."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.cluster.objects.resource import parse_time, render_time
from wavetank.cluster.rules import cron
from wavetank.cluster.rules.cron import Calendar, ScheduleError, is_zone, parse_schedule
from wavetank.kernel.durations import SECOND, Nanoseconds


def at(text: str) -> Nanoseconds:
    time = parse_time(text, "")
    assert time is not None
    return time


@pytest.mark.parametrize(
    ("schedule", "after", "due"),
    [
        ("*/15 * * * *", "2030-07-09T14:45:00Z", "2030-07-09T15:00:00Z"),
        ("*/15 * * * *", "2030-07-09T14:59:59Z", "2030-07-09T15:00:00Z"),
        ("20-35/15 * * * *", "2030-07-09T15:45:00Z", "2030-07-09T16:20:00Z"),
        ("0 0 1 * *", "2030-12-31T23:59:45Z", "2031-01-01T00:00:00Z"),
        ("0 0 29 2 *", "2030-01-01T00:00:00Z", "2032-02-29T00:00:00Z"),
        pytest.param("0 0 13 * 5", "2030-01-10T00:00:00Z", "2030-01-11T00:00:00Z", id="the 13th or any Friday"),
        pytest.param("0 0 */2 * 5", "2030-01-11T00:00:00Z", "2030-01-13T00:00:00Z", id="a step is no star"),
        pytest.param("0 0 * * fri", "2030-01-12T00:00:00Z", "2030-01-18T00:00:00Z", id="Fridays, whatever the day"),
        ("@hourly", "2030-01-01T00:00:00Z", "2030-01-01T01:00:00Z"),
        ("@every 90s", "2030-01-01T00:00:00Z", "2030-01-01T00:01:30Z"),
        ("@every 10ms", "2030-01-01T00:00:00Z", "2030-01-01T00:00:01Z"),
        ("TZ=Asia/Kolkata 30 9 * * *", "2030-01-01T00:00:00Z", "2030-01-01T04:00:00Z"),
        pytest.param(
            "TZ=America/New_York 30 2 * * *",
            "2031-03-08T12:00:00Z",
            "2031-03-10T06:30:00Z",
            id="a time that the clocks skip does not come",
        ),
        pytest.param(
            "TZ=America/New_York 30 1 * * *",
            "2030-11-02T12:00:00Z",
            "2030-11-03T05:30:00Z",
            id="a time that comes twice comes",
        ),
    ],
)
def test_the_next_time_of_a_schedule(schedule: str, after: str, due: str) -> None:
    found = parse_schedule(schedule).next(at(after))
    assert found is not None
    assert render_time(found) == due


def test_a_zone_can_be_given_beside_the_schedule() -> None:
    found = parse_schedule("0 8 * * *", "Europe/Berlin").next(at("2030-06-01T00:00:00Z"))
    assert found is not None
    assert render_time(found) == "2030-06-01T06:00:00Z"


def test_a_day_that_no_month_has_never_comes() -> None:
    assert parse_schedule("0 0 31 2 *").next(0) is None


@pytest.mark.parametrize("schedule", ["", "* * * *", "60 * * * *", "* * 0 * *", "@never", "TZ=Mars * * * * *"])
def test_a_schedule_that_makes_no_sense_is_refused(schedule: str) -> None:
    with pytest.raises(ScheduleError):
        parse_schedule(schedule)


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        pytest.param(f"{'9' * 5000} * * * *", "value out of range", id="thousands of digits"),
        pytest.param(f"0/{2**63} * * * *", "value out of range", id="a step"),
        pytest.param(f"@every {'9' * 400}h", "invalid duration", id="a duration"),
    ],
)
def test_numbers_of_a_schedule_that_are_too_large_are_refused(schedule: str, why: str) -> None:
    with pytest.raises(ScheduleError, match=why):
        parse_schedule(schedule)


def test_a_long_field_is_read_once_and_each_part_of_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    original = cron._read_range
    monkeypatch.setattr(cron, "_read_range", lambda text, *bounds: read.append(text) or original(text, *bounds))
    schedules = [parse_schedule("7,8," * 1000 + "9 * * * *", zone) for zone in ("", "Europe/Berlin")]
    assert {tuple(sorted(each.minutes)) for each in schedules if isinstance(each, Calendar)} == {(7, 8, 9)}
    assert read.count("7") == read.count("9") == 1


@pytest.mark.parametrize(("name", "known"), [("Europe/Berlin", True), ("Mars/Olympus", False), ("../etc", False)])
def test_zones_are_known_by_name(name: str, known: bool) -> None:
    assert is_zone(name) is known


def _fields() -> st.SearchStrategy[str]:
    def field(low: int, high: int) -> st.SearchStrategy[str]:
        number = st.integers(low, high)
        return st.one_of(st.just("*"), st.just("*/5"), number.map(str), number.map(lambda n: f"{n}-{high}/3"))

    return st.tuples(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)).map(" ".join)


@given(_fields(), st.integers(-(10**9), 10**9))
def test_the_next_time_is_later_on_a_whole_minute_and_nothing_was_left_out(schedule: str, second: int) -> None:
    read, after = parse_schedule(schedule), second * SECOND
    due = read.next(after)
    assert due is not None
    assert due > after
    assert due % (60 * SECOND) == 0
    assert read.next(due - 1) == due
    assert datetime.fromisoformat(render_time(due)).second == 0
