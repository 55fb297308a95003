"""When cycles begin and end, without any program and without real time."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from wavetank.cluster.store.store import Store
from wavetank.experiments.document.structures.schedulers import SyncSpec
from wavetank.experiments.document.sync import make_sync
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.loop.errors import ProcessError
from wavetank.loop.timesteps import timestep
from wavetank.loop.timesteps.timestep import Timestep

MS = SECOND // 1000
BATKUBES = make_sync(SyncSpec.read({"mode": "timestep"}, "sync"))


class Scheduler:
    """A participant whose scheduler binds in the named cycles, this long after their beginning."""

    def __init__(self, binds=(), after_ms=5):
        self.binds = set(binds)
        self.after_ms = after_ms
        self.waiting = Pods()
        self.audit = SimpleNamespace(bindings=0, ready=True)
        self.process = SimpleNamespace(name="mine", wait=lambda: None, tail=lambda: "", close=lambda: None)
        self.descriptors = []
        self.begun = []

    @property
    def awaited(self):
        return bool(self.waiting)

    def deliver(self, now):
        return False

    def collect(self):
        return False

    def close(self):
        pass


class Pods(list):
    changed = 0


class RealTime:
    """Real time that passes only while it is polled."""

    def __init__(self, scheduler, loop, clock):
        self.now = 100.0
        self.scheduler, self.loop, self.clock = scheduler, loop, clock
        self.cycle = 0

    def monotonic(self):
        return self.now

    def poll(self, ms):
        scheduler = self.scheduler
        if self.loop.turns != self.cycle:
            self.cycle = self.loop.turns
            scheduler.begun.append(round(self.clock.now / MS))
            if self.cycle in scheduler.binds and ms >= scheduler.after_ms:
                self.now += scheduler.after_ms / 1000
                scheduler.audit.bindings += 1
                return [(0, 1)]
        self.now += max(ms, 0.001) / 1000
        return []


@pytest.fixture
def begin(monkeypatch):
    def begin(scheduler, **sync):
        clock = Clock()
        loop = Timestep(clock, Store(clock), replace(BATKUBES, **sync))
        real = RealTime(scheduler, loop, clock)
        loop._poll = real
        monkeypatch.setattr(timestep, "time", real)
        loop._participants = [scheduler]
        loop.open()
        return loop, clock

    return begin


def test_before_the_first_decision_the_step_is_a_fifth_of_the_base(begin):
    scheduler = Scheduler()
    _, clock = begin(scheduler)
    clock.run(100 * MS)
    assert scheduler.begun == [20, 60, 100]  # 20 ms of time-out, then 20 ms of step


def test_then_it_doubles_up_to_the_maximum_and_begins_anew_after_a_decision(begin):
    scheduler = Scheduler(binds={1, 6}, after_ms=5)
    _, clock = begin(scheduler, max_simulation_timestep=800 * MS)
    clock.run(5000 * MS)
    waited = [b - a for a, b in zip(scheduler.begun, scheduler.begun[1:], strict=False)]
    assert waited == [205, 420, 820, 820, 820, 205, 420, 820]


def test_a_cycle_lasts_at_least_the_minimum_delay_even_with_a_decision(begin):
    scheduler = Scheduler(binds={1}, after_ms=5)
    _, clock = begin(scheduler, min_delay=50 * MS)
    clock.run(300 * MS)
    assert scheduler.begun == [20, 270]


def test_without_pending_pods_it_can_jump_to_the_next_event(begin):
    scheduler = Scheduler(binds={1})
    _, clock = begin(scheduler, fast_forward_on_no_pending_jobs=True)
    clock.run(100 * SECOND)
    assert scheduler.begun == [20]


def test_a_pod_that_comes_begins_a_cycle_and_the_base_step(begin):
    scheduler = Scheduler(binds={1})
    loop, clock = begin(scheduler, fast_forward_on_no_pending_jobs=True)
    clock.at(10 * SECOND, lambda: loop.added(None))
    clock.run(100 * SECOND)
    assert scheduler.begun == [20, 10_000]


def test_a_scheduler_that_does_not_react_is_a_crash_if_asked_for(begin):
    scheduler = Scheduler()
    scheduler.waiting.append("a pod")
    loop, _ = begin(scheduler, detect_scheduler_deadlock=True)
    with pytest.raises(ProcessError, match="scheduler mine has not reacted although pods wait for it and none runs"):
        loop.linger()


def test_otherwise_the_run_is_over(begin):
    scheduler = Scheduler()
    scheduler.waiting.append("a pod")
    loop, clock = begin(scheduler)
    assert not loop.linger()
    assert clock.now > 5 * SECOND
