"""The heartbeat of a served cluster whose events fail or take long."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import MAX, Pacing
from wavetank.apiserver.waiting import break_after_write
from wavetank.errors import SchedulerError
from wavetank.kernel.clock import Clock


def beats(*events: Exception | None) -> tuple[list[int], list[Exception]]:
    """Runs a timer per event, which may fail; returns which were run, and the errors that ended the heartbeat."""
    clock, ran, ended = Clock(), list[int](), list[Exception]()
    heartbeat = Heartbeat(Pacing(clock, MAX))
    heartbeat.failed = ended.append

    def run(i: int, error: Exception | None) -> None:
        ran.append(i)
        if error is not None:
            raise error

    for i, error in enumerate(events):
        clock.at(i, lambda i=i, error=error: run(i, error))  # type: ignore[misc]

    async def main() -> None:
        heartbeat.start()
        while clock.foreground and not ended:
            await asyncio.sleep(0)
        heartbeat.stop()

    asyncio.run(main())
    return ran, ended


def test_an_event_that_fails_is_logged_and_the_next_one_is_run(caplog: pytest.LogCaptureFixture) -> None:
    assert beats(None, OverflowError("too large"), OverflowError("too large"), None) == ([0, 1, 2, 3], [])
    assert [record.exc_info is not None for record in caplog.records] == [True, False]


def test_a_scheduler_that_fails_ends_it() -> None:
    error = SchedulerError("policy failed")
    assert beats(error, None) == ([0], [error])


def test_the_loop_goes_on_within_a_long_event_but_no_other_event_begins() -> None:
    clock, seen = Clock(), list[str]()
    committed: list[bool] = []
    heartbeat = Heartbeat(Pacing(clock, MAX), committed.append)

    def write(name: str) -> None:
        for i in range(40):
            seen.append(f"{name}{i}")
            break_after_write()

    for name in "ab":
        clock.at(0, partial(write, name))

    async def main() -> None:
        heartbeat.start()
        while clock.foreground or heartbeat.pacing.in_event:
            seen.append("loop")
            await asyncio.sleep(0)
        heartbeat.stop()

    asyncio.run(main())
    written = [each for each in seen if each != "loop"]
    assert written == [f"{name}{i}" for name in "ab" for i in range(40)]
    for name in "ab":
        event = seen[seen.index(f"{name}0") : seen.index(f"{name}39")]
        assert "loop" in event
    assert heartbeat.pacing.steps == 6, "two events with two breaks each"
    assert len(committed) >= 4, "what was written is kept in the breaks as well"
