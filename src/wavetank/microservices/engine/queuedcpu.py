from __future__ import annotations

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.cpu import Computed, SharedCpu, run_queue
from wavetank.microservices.engine.events import EventQueue
from wavetank.microservices.engine.overload import OverloadWatch
from wavetank.microservices.engine.queues import Process
from wavetank.microservices.engine.requests import Request
from wavetank.microservices.model.architecture import Policy
from wavetank.microservices.model.rules import Rules

_UNITS = 1000  # of work in a second of one core: quanta are given in milliseconds


class QueuedCpu:
    """A shared CPU that computes at most `threads` requests at once; a policy chooses among those that wait.

    Policies with quanta interrupt requests and queue them again.
    """

    def __init__(self, shared: SharedCpu, events: EventQueue, threads: int, policy: Policy, rules: Rules) -> None:
        self.capacity = shared.capacity
        self.overloads: OverloadWatch | None = None
        self._shared = shared
        self._events = events
        self._threads = threads
        self._queue = run_queue(policy, rules)
        self._running: dict[Request, Process] = {}
        self._computed: dict[Request, Computed] = {}
        self._came = 0
        self._queueing = 0.0  # requests that waited, summed up over seconds
        self._since: Nanoseconds = 0

    @property
    def active(self) -> int:
        """Returns how many requests are being computed."""
        return self._shared.active

    @property
    def waiting(self) -> int:
        """Returns how many requests wait for a thread."""
        return len(self._queue)

    def submit(self, request: Request, demand: float, computed: Computed) -> None:
        """Takes work; `computed` is called when it is done."""
        self._advance()
        self._came += 1
        self._computed[request] = computed
        self._queue.enter(Process(request, demand * _UNITS))
        self._dispatch()

    def queueing_until_now(self) -> float:
        """Returns the requests that wait for a thread, summed up over seconds; changes nothing."""
        return self._queueing + len(self._queue) * ((self._events.now - self._since) / SECOND)

    def _advance(self) -> None:
        self._queueing = self.queueing_until_now()
        self._since = self._events.now

    def _dispatch(self) -> None:
        while len(self._queue) and len(self._running) < self._threads:
            process = self._queue.take()
            self._running[process.request] = process
            self._shared.submit(process.request, process.burst / _UNITS, self._end_burst)
        if self.overloads is not None:
            total = len(self._queue) + len(self._running)
            self.overloads.note(self._events.now, len(self._queue) > 0, total, self._came)

    def _end_burst(self, request: Request) -> None:
        self._advance()
        process = self._running.pop(request)
        process.remaining -= process.burst
        if process.remaining > 1e-9:
            self._queue.enter(process)
            self._dispatch()
            return
        self._dispatch()
        self._computed.pop(request)(request)

    def backlog(self) -> float:
        """Returns the work that remains, in seconds of the whole capacity."""
        queued = sum(process.remaining for process in self._queue)
        later = sum(process.remaining - process.burst for process in self._running.values())
        return self._shared.backlog() + (queued + later) / _UNITS / self.capacity

    def clear(self) -> None:
        """Drops all work."""
        self._advance()
        self._queue.clear()
        self._running.clear()
        self._computed.clear()
        self._shared.clear()
