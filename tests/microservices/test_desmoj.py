"""The order of MiSim's events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.paths import DATA, needs_shared
from wavetank.kernel.durations import SECOND
from wavetank.microservices.engine import balancers
from wavetank.microservices.engine.desmoj import DesmojEventQueue
from wavetank.microservices.engine.events import LOW, NORMAL, EventQueue
from wavetank.verification.microservices import read_case
from wavetank.verification.microservices.playing import play, read_inputs

RUNS = DATA / "misim-golden"


def _run(queue: EventQueue, events: list[tuple[int, int]]) -> list[int]:
    done: list[int] = []
    for number, (delay, priority) in enumerate(events):
        queue.schedule(delay, done.append, number, priority)  # type: ignore[arg-type]
    queue.run_before(100)
    return done


@given(st.lists(st.integers(0, 9)))
def test_events_of_one_priority_run_in_the_order_of_scheduling(delays: list[int]) -> None:
    events = [(delay, NORMAL) for delay in delays]
    assert _run(DesmojEventQueue(None), events) == _run(EventQueue(), events)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5))))
def test_events_always_run_in_the_order_of_time(events: list[tuple[int, int]]) -> None:
    times = [events[number][0] for number in _run(DesmojEventQueue(None), events)]
    assert times == sorted(times)
    assert len(times) == len(events)


def test_an_event_goes_before_equal_ones_if_bisection_meets_an_earlier_one_of_lower_priority() -> None:
    events = [(1, LOW), (5, NORMAL), (9, NORMAL), (5, NORMAL)]
    assert _run(EventQueue(), events) == [0, 1, 3, 2]
    assert _run(DesmojEventQueue(None), [(1, LOW), (5, NORMAL), (5, NORMAL)]) == [0, 2, 1]


def test_a_cancelled_event_does_not_run() -> None:
    queue, done = DesmojEventQueue(None), list[object]()
    event = queue.schedule(5, done.append, "late")
    queue.schedule(5, done.append, "kept")
    queue.cancel(event)
    queue.cancel(event)
    queue.run_before(SECOND)
    assert done == ["kept"]


class _JavaRandom:
    """java.util.Random, as far as a load balancer uses it."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def choice(self, options: list[object]) -> object:
        return options[self._below(len(options))]

    def _below(self, bound: int) -> int:
        while True:
            self._state = (self._state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            bits = self._state >> 17
            if bound & -bound == bound:
                return (bound * bits) >> 31
            if bits - bits % bound + bound - 1 < 1 << 31:
                return bits % bound


@needs_shared(RUNS)
def test_with_javas_random_numbers_every_request_of_a_random_case_takes_as_long_as_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(balancers.LeastBacklog, "__init__", lambda self, *_: setattr(self, "_random", _JavaRandom(1)))
    case = read_case(RUNS / "lb-util")
    recorder = play(read_inputs(case), seed=1).recorder
    for operation in ("x", "y"):
        lines = case.first_seed[f"R[{operation}]_ResponseTimes"]
        recorded = sorted((round(float(time) * 1e6), round(float(value) * 1e6)) for time, value in lines)
        assert sorted(recorder.responses[operation]) == recorded
