from __future__ import annotations

from itertools import count

import pytest

from wavetank.apiserver.clock.pacing import LAST, MAX, SLICE, Pacing, parse_speed
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND


class Wall:
    """A wall clock that a test moves."""

    def __init__(self) -> None:
        self.now = 7 * SECOND

    def __call__(self) -> int:
        return self.now


class PacedClock:
    """A paced clock with a few timers, and those that have fired."""

    def __init__(self, *due: float, speed: float | None = 1.0, paused: bool = False) -> None:
        self.wall = Wall()
        self.clock = Clock(-5 * SECOND)
        self.start = self.clock.now
        self.done: list[float] = []
        for seconds in due:
            self.plan(seconds)
        self.pacing = Pacing(self.clock, speed, paused, self.wall)

    def plan(self, seconds: float, background: bool = False, takes: int = 0) -> None:
        def happen() -> None:
            self.wall.now += takes
            self.done.append(seconds)

        self.clock.at(self.start + round(seconds * SECOND), happen, background=background)

    def wait(self, seconds: float) -> float | None:
        self.wall.now += round(seconds * SECOND)
        return self.pacing.work()

    @property
    def elapsed(self) -> float:
        return (self.clock.now - self.start) / SECOND


@pytest.mark.parametrize(
    ("speed", "waited", "done", "next_in"),
    [
        pytest.param(1, 0.5, [], 0.5, id="not yet"),
        pytest.param(1, 1.0, [1], 9.0, id="a second is a second"),
        pytest.param(60, 0.25, [1, 10], None, id="sixty times as fast"),
        pytest.param(0.5, 1.0, [], 1.0, id="or slower"),
    ],
)
def test_the_clock_goes_at_its_speed(speed: float, waited: float, done: list[float], next_in: float | None) -> None:
    paced = PacedClock(1, 10, speed=speed)
    assert paced.wait(waited) == (None if next_in is None else pytest.approx(next_in))
    assert paced.done == done
    assert paced.elapsed == pytest.approx(waited * speed)


def test_at_full_speed_it_jumps_from_event_to_event_and_then_stands() -> None:
    paced = PacedClock(1, 3600, speed=MAX)
    paced.plan(2, background=True)
    paced.plan(9999, background=True)
    assert paced.wait(0) is None
    assert paced.done == [1, 2, 3600]
    assert paced.elapsed == 3600
    paced.plan(4000)
    assert paced.pacing.delay() == 0.0, "the next write lets it go on"
    paced.wait(0)
    assert paced.done[-1] == 4000


@pytest.mark.parametrize("speed", [1.0, MAX], ids=["at a speed", "at full speed"])
def test_it_never_keeps_the_thread_for_longer_than_a_slice(speed: float | None) -> None:
    paced = PacedClock(speed=speed)
    for i in range(10):
        paced.plan(0.1 + i / 1000, takes=SLICE // 2)
    before = paced.wall.now = paced.wall.now + SECOND
    assert paced.pacing.work() == 0.0
    assert paced.done == [0.1, 0.101]
    assert paced.wall.now - before <= SLICE
    while paced.pacing.work() == 0.0:
        pass
    assert len(paced.done) == 10


def test_a_simulation_that_cannot_keep_up_does_not_race_later() -> None:
    paced = PacedClock()
    for i in range(100):
        paced.plan(i / 10, takes=2 * SLICE)
    paced.wait(10)
    assert paced.elapsed < 1
    paced.wait(1)
    assert paced.elapsed < 2


def test_nothing_happens_while_it_is_paused() -> None:
    paced = PacedClock(1, paused=True)
    assert paced.wait(10) is None
    assert (paced.done, paced.elapsed) == ([], 0)
    paced.pacing.resume(1.0)
    assert paced.wait(0.5) == pytest.approx(0.5), "what has passed meanwhile is not made up for"
    paced.pacing.pause()
    paced.wait(10)
    assert (paced.done, paced.elapsed) == ([], 0.5)


def test_a_clock_that_was_held_does_not_make_up_for_it() -> None:
    paced = PacedClock(1, 2)
    paced.wait(0.5)
    paced.pacing.hold()
    assert paced.wait(10) is None
    paced.pacing.release()
    paced.pacing.work()
    assert (paced.done, paced.elapsed) == ([], 0.5)
    paced.wait(0.75)
    assert (paced.done, paced.elapsed) == ([1], 1.25)


@pytest.mark.parametrize("speed", [1.0, MAX], ids=["at a speed", "at full speed"])
def test_advance_goes_so_far_and_says_when_it_is_there(speed: float | None) -> None:
    paced, arrived = PacedClock(1, 10, 100, speed=speed, paused=True), []
    paced.pacing.advance(50 * SECOND, lambda: arrived.append(paced.elapsed))
    assert paced.pacing.delay() == 0.0
    paced.wait(0)
    assert (paced.done, arrived, paced.elapsed) == ([1, 10], [50.0], 50)


def test_step_goes_to_the_next_event_that_is_more_than_a_periodic_timer() -> None:
    paced, arrived = PacedClock(10, 10, 20, paused=True), []
    paced.plan(1, background=True)
    for _ in range(3):
        paced.pacing.step(lambda: arrived.append(paced.elapsed))
        paced.wait(0)
    assert paced.done == [1, 10, 10, 20]
    assert arrived == [10, 20, 20], "with nothing left it stays where it is"


def test_reading_the_clock_brings_it_up_to_date() -> None:
    paced = PacedClock(10)
    paced.wall.now += 3 * SECOND
    assert paced.pacing.status().elapsed == 3 * SECOND
    paced.wall.now += 10 * SECOND
    assert paced.pacing.status().elapsed == 3 * SECOND, "but not beyond an event that has not happened"


@pytest.mark.parametrize(("text", "speed"), [("1", 1), ("60", 60), ("0.5", 0.5), ("max", MAX)])
def test_speeds_are_numbers_or_max(text: str, speed: float | None) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["0", "-1", "fast", "", "nan", "inf"])
def test_other_speeds_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected a speed such as 1, 60 or max"):
        parse_speed(text)


def test_the_clock_never_passes_the_year_9999():
    clock = Clock()
    pacing = Pacing(clock, MAX)
    with pytest.raises(InputError, match="year 9999"):
        pacing.advance(LAST + 1, lambda: None)
    clock.at(LAST + 1, lambda: None)
    assert pacing.delay() is None
    assert pacing.work() is None
    assert clock.now <= LAST


def test_a_pause_and_a_client_that_is_gone_end_an_advance():
    clock, arrived = Clock(), []
    for i in range(10_000):
        clock.at(i * SECOND, lambda: None)
    pacing = Pacing(clock, paused=True, wall=count(0, SLICE).__next__)
    pacing.advance(9_000 * SECOND, lambda: arrived.append("paused"))
    pacing.work()
    pacing.pause()
    assert arrived == ["paused"]
    pacing.advance(9_000 * SECOND, arrived.clear)
    pacing.work()
    pacing.withdraw(arrived.clear)
    assert arrived == ["paused"]
    assert pacing.work() is None
    assert clock.now < 100 * SECOND
