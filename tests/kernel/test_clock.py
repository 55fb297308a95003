from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.kernel.clock import EVENTS, SCHEDULERS, Clock, PastError, Timer

TIMERS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from([EVENTS, SCHEDULERS])), max_size=20)


class Diary:
    """Notes what happened, and when."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.entries: list[tuple[int, object]] = []

    def note(self, what: object) -> Callable[[], None]:
        return lambda: self.entries.append((self.clock.now, what))

    @property
    def times(self) -> list[int]:
        return [time for time, _ in self.entries]

    @property
    def things(self) -> list[object]:
        return [what for _, what in self.entries]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def diary(clock: Clock) -> Diary:
    return Diary(clock)


@given(TIMERS)
def test_timers_run_by_time_then_priority_then_order_of_creation(timers: list[tuple[int, int]]) -> None:
    clock = Clock()
    diary = Diary(clock)
    for number, (due, priority) in enumerate(timers):
        clock.at(due, diary.note((due, priority, number)), priority)
    clock.run()
    assert diary.things == sorted((due, priority, number) for number, (due, priority) in enumerate(timers))
    assert diary.times == sorted(due for due, _ in timers)


@given(TIMERS, st.data())
def test_cancelled_timers_never_run_and_disturb_no_other(timers: list[tuple[int, int]], data: st.DataObject) -> None:
    clock = Clock()
    diary = Diary(clock)
    made = [clock.at(due, diary.note(number), priority) for number, (due, priority) in enumerate(timers)]
    cancelled = data.draw(st.sets(st.sampled_from(range(len(made))))) if made else set()
    for number in cancelled:
        made[number].cancel()
    clock.run()
    kept = [(due, priority, number) for number, (due, priority) in enumerate(timers) if number not in cancelled]
    assert diary.things == [number for _, _, number in sorted(kept)]
    assert clock.foreground == 0


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=10))
def test_timers_made_by_timers_never_let_time_go_back(chains: list[tuple[int, int]]) -> None:
    clock = Clock()
    diary = Diary(clock)
    for first, then in chains:
        clock.at(first, lambda then=then: clock.after(then, diary.note("then")))  # type: ignore[misc]
    clock.run()
    assert diary.times == sorted(first + then for first, then in chains)


def test_the_world_changes_before_schedulers_think(clock: Clock, diary: Diary) -> None:
    clock.at(1, diary.note("think"), SCHEDULERS)
    clock.at(1, diary.note("change"), EVENTS)
    clock.run()
    assert diary.things == ["change", "think"]


def test_a_timer_of_this_very_instant_runs_in_it(clock: Clock, diary: Diary) -> None:
    clock.at(3, lambda: clock.at(3, diary.note("now")))
    clock.at(4, diary.note("later"))
    clock.run()
    assert diary.entries == [(3, "now"), (4, "later")]


def test_a_timer_may_cancel_another_of_its_instant(clock: Clock, diary: Diary) -> None:
    timers: list[Timer] = []
    clock.at(1, lambda: timers[0].cancel())
    timers.append(clock.at(1, diary.note("cancelled")))
    clock.run()
    assert diary.entries == []


@pytest.mark.parametrize("times", [1, 2, 3])
def test_cancelling_more_than_once_counts_once(clock: Clock, diary: Diary, times: int) -> None:
    timer = clock.at(1, diary.note("cancelled"))
    clock.at(2, diary.note("kept"))
    for _ in range(times):
        timer.cancel()
    clock.run()
    assert diary.entries == [(2, "kept")]


def test_cancelling_after_it_ran_does_nothing(clock: Clock, diary: Diary) -> None:
    timer = clock.at(1, diary.note("ran"))
    clock.at(1, timer.cancel)
    clock.at(2, diary.note("kept"))
    clock.run()
    assert diary.things == ["ran", "kept"]


def test_a_cancelled_timer_does_not_move_the_time(clock: Clock) -> None:
    clock.at(5, lambda: None).cancel()
    clock.run()
    assert clock.now == 0


def test_the_past_is_refused(clock: Clock) -> None:
    clock.run(until=5)
    with pytest.raises(PastError, match="cannot schedule at 4 ns: it is already 5 ns"):
        clock.at(4, lambda: None)
    with pytest.raises(PastError):
        clock.after(-1, lambda: None)


def every(clock: Clock, period: int, callback: Callable[[], None]) -> None:
    def tick() -> None:
        callback()
        clock.after(period, tick, background=True)

    clock.after(period, tick, background=True)


def test_background_timers_are_no_progress(clock: Clock, diary: Diary) -> None:
    every(clock, 2, diary.note("tick"))
    clock.at(5, diary.note("work"))
    clock.run()
    assert diary.entries == [(2, "tick"), (4, "tick"), (5, "work")]


def test_nothing_but_background_timers_is_the_end(clock: Clock, diary: Diary) -> None:
    every(clock, 1, diary.note("tick"))
    clock.run()
    assert (clock.now, diary.entries) == (0, [])


def test_a_background_timer_may_begin_work(clock: Clock, diary: Diary) -> None:
    clock.at(1, lambda: clock.after(5, diary.note("work")), background=True)
    clock.at(2, diary.note("last"))
    clock.run()
    assert diary.entries == [(2, "last"), (6, "work")]


def test_a_cancelled_background_timer_takes_no_work_away(clock: Clock, diary: Diary) -> None:
    clock.at(1, diary.note("tick"), background=True).cancel()
    clock.at(2, diary.note("work"))
    clock.run()
    assert diary.entries == [(2, "work")]


@pytest.mark.parametrize(
    ("until", "ran"),
    [
        pytest.param(0, [], id="before the first"),
        pytest.param(3, [1, 3], id="what is due at the end still runs"),
        pytest.param(9, [1, 3, 5, 7], id="background timers too"),
    ],
)
def test_a_run_with_an_end_stands_there(clock: Clock, diary: Diary, until: int, ran: list[int]) -> None:
    for due in (1, 3, 5):
        clock.at(due, diary.note("work"))
    clock.at(7, diary.note("tick"), background=True)
    clock.run(until)
    assert (diary.times, clock.now) == (ran, until)


def test_a_run_can_go_on(clock: Clock, diary: Diary) -> None:
    clock.at(5, diary.note("work"))
    clock.run(until=3)
    clock.run()
    assert diary.entries == [(5, "work")]


def test_an_end_in_the_past_changes_nothing(clock: Clock) -> None:
    clock.run(until=5)
    clock.run(until=3)
    assert clock.now == 5


def test_a_run_without_an_end_stands_at_the_last_timer(clock: Clock) -> None:
    clock.at(7, lambda: None)
    clock.run()
    assert clock.now == 7


def test_a_clock_may_start_anywhere() -> None:
    clock = Clock(start=100)
    diary = Diary(clock)
    clock.after(1, diary.note("work"))
    clock.run()
    assert diary.times == [101]


def test_a_callback_that_fails_can_be_run_past(clock: Clock, diary: Diary) -> None:
    clock.at(1, lambda: 1 // 0)
    clock.at(2, diary.note("work"))
    with pytest.raises(ZeroDivisionError):
        clock.run()
    clock.run()
    assert diary.entries == [(2, "work")]


def test_the_next_timer_is_told_without_those_cancelled(clock: Clock) -> None:
    first, _ = clock.at(1, lambda: None), clock.at(2, lambda: None)
    assert clock.next_due() == 1
    first.cancel()
    assert clock.next_due() == 2
    clock.run()
    assert clock.next_due() is None
