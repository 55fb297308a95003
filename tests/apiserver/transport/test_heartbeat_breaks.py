"""The heartbeat of a served cluster, while an event takes breaks or waits: requests set the clock meanwhile."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import pytest

from tests.support.waiting import PATIENCE_S
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import MAX, SLICE, Pacing
from wavetank.apiserver.waiting import HEAVIEST, break_after_write, run_beside, run_waiting
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND

_FAST = 1000.0
_REQUESTS = 4  # that may have threads at once


def write_much() -> None:
    """An event with two breaks."""
    for _ in range(40):
        break_after_write()


def write_slowly() -> None:
    """An event with two breaks, which is longer than a slice."""
    write_much()
    time.sleep(SLICE / SECOND)


def compute_much() -> None:
    """An event that waits for a thread."""
    run_beside(partial(time.sleep, 0.01), HEAVIEST)


class Beating:
    """A heartbeat with a long event at 1 s, and one more at each of the following seconds up to `last`."""

    def __init__(
        self, speed: float | None, paused: bool = False, event: Callable[[], None] = write_much, last: int = 20
    ) -> None:
        self.clock, self.ran = Clock(), list[int]()
        self.pacing = Pacing(self.clock, speed, paused)
        self.heartbeat = Heartbeat(self.pacing)
        self.arrived: list[tuple[str, float]] = []
        self.clock.at(SECOND, event)
        for second in range(2, last + 1):
            self.clock.at(second * SECOND, partial(self.ran.append, second))

    def run(self, test: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a test in an event loop, in which the heart beats."""
        asyncio.run(self._run(test))

    async def _run(self, test: Callable[[], Coroutine[Any, Any, None]]) -> None:
        errors = list[Any]()
        asyncio.get_running_loop().set_exception_handler(lambda _, error: errors.append(error))
        self.heartbeat.start()
        await test()
        self.heartbeat.stop()
        assert not errors

    async def reach_break(self) -> None:
        """Waits until the long event takes a break."""
        await until(lambda: self.pacing.in_event)

    async def end_event(self) -> None:
        """Waits until it has ended, and a few turns of the loop longer."""
        await until(lambda: not self.pacing.in_event)
        await turns()

    def advance(self, name: str, seconds: int) -> None:
        """Advances the clock, and notes when it has arrived."""
        self.pacing.advance(seconds * SECOND, lambda: self.arrived.append((name, self.clock.now / SECOND)))
        self.heartbeat.reschedule()


async def turns() -> None:
    """Lets the event loop do whatever it can do now."""
    for _ in range(50):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Waits until a condition holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0)


@pytest.mark.parametrize("event", [write_much, compute_much])
@pytest.mark.parametrize("speed", [_FAST, MAX], ids=["at a speed", "at full speed"])
def test_after_an_event_with_breaks_the_next_ones_come_without_a_request(
    speed: float | None, event: Callable[[], None]
) -> None:
    beating = Beating(speed, event=event)

    async def test() -> None:
        await until(lambda: beating.ran == list(range(2, 21)))

    beating.run(test)


def test_a_pause_in_a_break_of_an_advance_stops_the_clock_there() -> None:
    beating = Beating(_FAST, paused=True)

    async def test() -> None:
        beating.advance("a", 600)
        await beating.reach_break()
        beating.pacing.pause()
        assert beating.arrived == [("a", 1.0)]
        await beating.end_event()
        assert (beating.clock.now, beating.ran) == (SECOND, [])

    beating.run(test)


def test_a_pause_in_a_break_stops_the_clock_there() -> None:
    beating = Beating(MAX)

    async def test() -> None:
        await beating.reach_break()
        beating.pacing.pause()
        await beating.end_event()
        assert (beating.clock.now, beating.ran) == (SECOND, [])

    beating.run(test)


def test_an_advance_in_a_break_of_an_advance_goes_on_from_its_goal() -> None:
    beating = Beating(_FAST, paused=True)

    async def test() -> None:
        beating.advance("a", 10)
        await beating.reach_break()
        beating.advance("b", 100)
        await until(lambda: len(beating.arrived) == 2)
        assert beating.arrived == [("a", 110.0), ("b", 110.0)]

    beating.run(test)


@pytest.mark.parametrize("speed", [_FAST, MAX], ids=["at a speed", "at full speed"])
def test_an_advance_in_a_break_goes_so_far_from_there(speed: float | None) -> None:
    beating = Beating(speed, last=1)

    async def test() -> None:
        await beating.reach_break()
        beating.advance("b", 10)
        await until(lambda: beating.arrived == [("b", 11.0)])

    beating.run(test)


def test_a_client_that_is_gone_in_a_break_ends_its_advance() -> None:
    beating = Beating(_FAST, paused=True)

    async def test() -> None:
        gone = partial(beating.arrived.append, ("gone", 0))
        beating.pacing.advance(600 * SECOND, gone)
        beating.heartbeat.reschedule()
        await beating.reach_break()
        beating.pacing.withdraw(gone)
        await beating.end_event()
        assert (beating.clock.now, beating.ran, beating.arrived) == (SECOND, [], [])

    beating.run(test)


@pytest.mark.parametrize("event", [write_much, write_slowly])
def test_another_speed_in_a_break_holds_from_the_end_of_the_event(event: Callable[[], None]) -> None:
    beating = Beating(_FAST, event=event, last=10_000)

    async def test() -> None:
        await beating.reach_break()
        beating.pacing.resume(MAX)
        await until(lambda: len(beating.ran) == 9_999)

    beating.run(test)


def test_no_event_begins_while_the_clock_is_held() -> None:
    beating = Beating(MAX, last=10_000)

    async def test() -> None:
        await beating.reach_break()
        beating.pacing.hold()
        await beating.end_event()
        assert beating.ran == []
        beating.pacing.release()
        beating.heartbeat.reschedule()
        await until(lambda: len(beating.ran) > 0)
        beating.pacing.hold()  # a beat is planned now
        ran = len(beating.ran)
        await turns()
        assert len(beating.ran) == ran < 9_999

    beating.run(test)


def test_a_clock_that_replaces_one_in_a_break_stands_and_has_its_own_steps() -> None:
    beating, new, ran = Beating(_FAST), Clock(), list[int]()
    for second in range(5):
        new.at(second * SECOND, partial(ran.append, second))

    async def test() -> None:
        await beating.reach_break()
        beating.pacing.replace(new, 7)
        assert beating.pacing.steps == 7
        await beating.end_event()
        assert (new.now, ran, beating.ran, beating.pacing.steps) == (0, [], [], 7)
        beating.pacing.resume(MAX)
        beating.heartbeat.reschedule()
        await until(lambda: len(ran) == 5)
        assert beating.pacing.steps == 12

    beating.run(test)


def test_heavy_requests_keep_no_event_waiting() -> None:
    beating, answered = Beating(MAX, event=compute_much), threading.Event()

    async def test() -> None:
        request = partial(run_beside, partial(answered.wait, PATIENCE_S), HEAVIEST)
        requests = [asyncio.create_task(run_waiting(request)) for _ in range(_REQUESTS)]
        try:
            await until(lambda: len(beating.ran) == 19)
            assert not any(each.done() for each in requests)
        finally:
            answered.set()
        await asyncio.gather(*requests)

    beating.run(test)
