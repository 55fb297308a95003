"""When a CPU counts as overloaded."""

from __future__ import annotations

import random

import pytest

from wavetank.kernel.durations import SECOND
from wavetank.microservices.engine.cpu import SharedCpu
from wavetank.microservices.engine.events import EventQueue
from wavetank.microservices.engine.overload import Overload, OverloadWatch


def _overloads(arrivals: list[float], demand: float, until: float, shortest: float = 10) -> list[Overload]:
    """Returns the overloads of one core that gets requests at these times, in seconds."""
    events = EventQueue()
    cpu = SharedCpu(events, 1.0, 1.0)
    cpu.overloads = OverloadWatch(round(shortest * SECOND))
    for time in arrivals:
        events.schedule(round(time * SECOND), lambda _: cpu.submit(None, demand, lambda _: None))  # type: ignore[arg-type]
    events.run_before(round(until * SECOND))
    cpu.overloads.end(events.now, None)
    return cpu.overloads.found


def _poisson(rate: float, until: float, since: float = 0.0, seed: int = 1) -> list[float]:
    stream = random.Random(seed)
    times, time = [], since
    while (time := time + stream.expovariate(rate)) < until:
        times.append(time)
    return times


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("load", [0.5, 0.8, 0.9])
def test_a_stable_queue_is_not_overloaded(load: float, seed: int) -> None:
    assert _overloads(_poisson(load * 50, 200, seed=seed), 0.02, 200) == []


@pytest.mark.parametrize("load", [1.3, 1.6, 3])
def test_more_work_than_the_cpu_can_do_is_an_overload(load: float) -> None:
    calm = _poisson(20, 60)
    [found] = _overloads([*calm, *_poisson(load * 50, 200, since=60)], 0.02, 200)
    assert found.since / SECOND == pytest.approx(60, abs=10)
    assert found.until is None
    assert found.longest > 0.8 * (load - 1) * 50 * 140


def test_an_overload_that_is_worked_off_has_an_end() -> None:
    [found] = _overloads([i / 100 for i in range(2000)], 0.02, 100)
    assert found.since == SECOND // 100
    assert found.until == pytest.approx(40 * SECOND)
    assert found.queued == 2
    assert 1000 < found.longest < 2000


def test_a_short_burst_is_none() -> None:
    assert _overloads([1.0] * 400, 0.02, 100) == []  # 8 s of work
    assert len(_overloads([1.0] * 600, 0.02, 100)) == 1  # 12 s
