"""CPUs of instances: a pool of threads, or processor sharing."""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Protocol

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.events import Event, EventQueue
from wavetank.microservices.engine.overload import OverloadWatch
from wavetank.microservices.engine.queues import (
    Fifo,
    Lifo,
    MultiLevelFeedbackQueue,
    Process,
    RunQueue,
    SelfAdjustingRoundRobin,
    ShortestJobNext,
)
from wavetank.microservices.engine.requests import Request
from wavetank.microservices.model.architecture import Policy, Service
from wavetank.microservices.model.rules import Rules

Computed = Callable[[Request], None]

_ROUNDING = 1e14


class Cpu(Protocol):
    """Computes the work of requests."""

    capacity: float

    def submit(self, request: Request, demand: float, computed: Computed) -> None:
        """Takes work; `computed` is called when it is done."""

    def backlog(self) -> float:
        """Returns the work that remains, in seconds of the whole capacity."""

    @property
    def active(self) -> int:
        """Returns how many requests are being computed."""

    def clear(self) -> None:
        """Drops all work."""


def cpu_of(service: Service, events: EventQueue, rules: Rules) -> Cpu:
    """Returns the CPU of a new instance."""
    events.watch_cpu()
    if service.policy == "ps":
        return SharedCpu(events, service.capacity, service.threads)
    return ThreadPool(events, service.capacity, service.threads, run_queue(service.policy, rules), rules)


def run_queue(policy: Policy, rules: Rules) -> RunQueue:
    """Returns an empty queue of a policy; `ps` waits as FIFO does."""
    if policy == "mlfq":
        return MultiLevelFeedbackQueue(rules.mlfq_skips_middle)
    queues: dict[str, Callable[[], RunQueue]] = {"lifo": Lifo, "sjn": ShortestJobNext, "sarr": SelfAdjustingRoundRobin}
    return queues.get(policy, Fifo)()


class ThreadPool:
    """Threads that share the capacity evenly; each runs one burst to its end."""

    def __init__(self, events: EventQueue, capacity: float, threads: int, queue: RunQueue, rules: Rules) -> None:
        self.capacity = capacity
        self._events = events
        self.threads = threads
        self.changed: Callable[[bool], None] | None = None  # is called with whether it has chosen what runs
        self._per_thread = capacity / threads
        self._queue = queue
        self._span = rules.span
        self._running: dict[Process, Computed] = {}
        self._computed: dict[Request, Computed] = {}
        self._pending: Event | None = None

    def submit(self, request: Request, demand: float, computed: Computed) -> None:
        """Takes work; `computed` is called when it is done."""
        self._computed[request] = computed
        self._queue.enter(Process(request, demand))
        if len(self._running) < self.threads:
            self._dispatch_soon()
        self._tell(is_settled=False)

    def _dispatch_soon(self) -> None:
        """Lets the CPU look for work after the other events of this instant: all that arrive now compete."""
        if self._pending is not None:
            self._events.cancel(self._pending)
        self._pending = self._events.schedule(0, self._dispatch)

    def _dispatch(self, _: object) -> None:
        self._pending = None
        while self._queue and len(self._running) < self.threads:
            process = self._queue.take()
            process.started = self._events.now
            process.end = self._events.schedule(self._span(process.burst / self._per_thread), self._end_burst, process)
            self._running[process] = self._computed[process.request]
        self._tell(is_settled=True)

    def _end_burst(self, process: Process) -> None:
        process.remaining -= process.burst
        if process.remaining > 0:
            self._queue.enter(process)
        del self._running[process]
        self._dispatch_soon()
        if process.remaining <= 0:
            self._events.schedule(0, self._computed.pop(process.request), process.request)
        self._tell(is_settled=True)

    def _tell(self, is_settled: bool) -> None:
        if self.changed is not None:
            self.changed(is_settled)

    @property
    def processes(self) -> int:
        """Returns how many requests are here, computed or waiting."""
        return len(self._running) + len(self._queue)

    def backlog(self) -> float:
        """Returns the work that remains, in seconds of the whole capacity."""
        now = self._events.now / SECOND
        queued = sum(process.remaining for process in self._queue)
        running = sum(each.remaining - (now - each.started / SECOND) * self._per_thread for each in self._running)
        share = (queued + running) / (self.threads * self._per_thread)
        return math.floor(share * _ROUNDING + 0.5) / _ROUNDING

    @property
    def active(self) -> int:
        """Returns how many threads are busy."""
        return len(self._running)

    def clear(self) -> None:
        """Drops all work."""
        for process in self._running:
            if process.end is not None:
                self._events.cancel(process.end)
        self._running.clear()
        self._computed.clear()
        self._queue.clear()


class SharedCpu:
    """Processor sharing: every request runs at once; up to `cores` of them at full speed, more share the capacity.

    Progress is counted as the work done for each request that was there all the time; a request is done when that
    counter has grown by its demand. A change of the speed or of the number of requests touches no other request.
    """

    def __init__(self, events: EventQueue, capacity: float, cores: float) -> None:
        self.capacity = capacity
        self._events = events
        self._full_rate = capacity / cores  # units a second of a request that has a core for itself
        self._speed = capacity  # units a second that may be used now
        self._progress = 0.0
        self._since: Nanoseconds = 0
        self._jobs: list[tuple[float, int, Request, Computed]] = []
        self._sequence = 0
        self._next: Event | None = None
        self._is_telling = False
        self.used = 0.0  # units of work done so far
        self.queueing = 0.0  # requests that were there, over time, in seconds
        self.overloads: OverloadWatch | None = None
        self.changed: Callable[[], None] | None = None  # is called when the number of requests has changed

    @property
    def active(self) -> int:
        """Returns how many requests are being computed."""
        return len(self._jobs)

    def submit(self, request: Request, demand: float, computed: Computed) -> None:
        """Takes work; `computed` is called when it is done."""
        self.advance()
        self._sequence += 1
        heappush(self._jobs, (self._progress + demand, self._sequence, request, computed))
        self._tell()
        self._plan()

    def _tell(self) -> None:
        if self.changed is not None:
            self._is_telling = True
            self.changed()
            self._is_telling = False

    def set_speed(self, speed: float) -> None:
        """Sets the units of work a second that may be used from now on."""
        if speed == self._speed:
            return
        if not self._is_telling:  # otherwise it is up to date and plans afterwards
            self.advance()
        self._speed = speed
        if not self._is_telling:
            self._plan()

    def _rate(self) -> float:
        """Returns the units a second that each request gets."""
        jobs = len(self._jobs)
        return min(self._full_rate, self._speed / jobs) if jobs else 0.0

    def advance(self) -> None:
        """Brings the progress up to the present."""
        now = self._events.now
        work = self._rate() * ((now - self._since) / SECOND)
        self._progress += work
        jobs = len(self._jobs)
        self.used += work * jobs
        self.queueing += jobs * ((now - self._since) / SECOND)
        self._since = now

    def totals(self) -> tuple[float, float]:
        """Returns `used` and `queueing` up to the present; changes nothing, so that a look has no effect on a run."""
        elapsed = (self._events.now - self._since) / SECOND
        jobs = len(self._jobs)
        return self.used + self._rate() * jobs * elapsed, self.queueing + jobs * elapsed

    def _plan(self) -> None:
        if self._next is not None:
            self._events.cancel(self._next)
            self._next = None
        rate = self._rate()
        if self.overloads is not None:
            is_short = 0 < rate < self._full_rate
            if is_short or self.overloads.since is not None:
                self.overloads.note(self._events.now, is_short, len(self._jobs), self._sequence)
        if rate > 0:
            left = max(0.0, self._jobs[0][0] - self._progress)
            self._next = self._events.schedule(math.ceil(left / rate * SECOND), self._finish)

    def _finish(self, _: object) -> None:
        self._next = None
        self.advance()
        slack = self._progress * 1e-12 + 1e-12
        while self._jobs and self._jobs[0][0] <= self._progress + slack:
            _, _, request, computed = heappop(self._jobs)
            self._events.schedule(0, computed, request)
        self._tell()
        self._plan()

    def backlog(self) -> float:
        """Returns the work that remains, in seconds of the whole capacity."""
        self.advance()
        return sum(max(0.0, end - self._progress) for end, _, _, _ in self._jobs) / self.capacity

    def clear(self) -> None:
        """Drops all work."""
        self.advance()
        self._jobs.clear()
        self._tell()
        self._plan()
