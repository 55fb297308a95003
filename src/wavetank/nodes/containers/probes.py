from __future__ import annotations

from collections.abc import Callable

from wavetank.kernel.clock import Clock
from wavetank.nodes.containers.container import Container
from wavetank.nodes.containers.plans import ProbePlan

STARTUP, READINESS, LIVENESS = "Startup", "Readiness", "Liveness"

# Of a container and a probe's kind: it has failed once; its result has changed, to success or failure.
OnFailure = Callable[[Container, str], None]
OnResult = Callable[[Container, str, bool], None]


class Probes:
    """Probes containers, as a kubelet's workers do: from an initial delay on, once in each period.

    A probe that always succeeds is not repeated once it has succeeded.
    """

    def __init__(self, clock: Clock, failed: OnFailure, changed: OnResult) -> None:
        self._clock = clock
        self._failed = failed
        self._changed = changed

    def begin(self, container: Container, kind: str, plan: ProbePlan) -> None:
        """Probes a running container until its run ends."""
        assert container.since is not None
        due = max(self._clock.now, container.since + plan.delay)
        worker = _Worker(container, kind, plan)
        if due == self._clock.now:
            self._probe(worker)
        else:
            self._at(worker, due)

    def _at(self, worker: _Worker, due: int) -> None:
        timers = worker.container.timers
        timers[:] = [timer for timer in timers if timer.callback is not None and timer.due >= self._clock.now]
        timers.append(self._clock.at(due, lambda: self._probe(worker), background=True))

    def _probe(self, worker: _Worker) -> None:
        container, plan = worker.container, worker.plan
        if container.since is None:
            return
        success = plan.succeeds(self._clock.now - container.since)
        if not success:
            self._failed(container, worker.kind)
        needed = worker.count(success)
        done = needed <= 0 and (worker.kind == STARTUP or plan.always_succeeds)
        if not done:
            self._at(worker, self._clock.now + plan.period)
        if needed == 0:
            self._changed(container, worker.kind, success)


class _Worker:
    """One probe of one run of a container, with the results in a row."""

    __slots__ = ("container", "kind", "plan", "result", "times")

    def __init__(self, container: Container, kind: str, plan: ProbePlan) -> None:
        self.container = container
        self.kind = kind
        self.plan = plan
        self.result: bool | None = None
        self.times = 0

    def count(self, success: bool) -> int:
        """Counts a result; returns how many more of its kind make it count, 0 the moment that it does."""
        self.times = self.times + 1 if success is self.result else 1
        self.result = success
        return (self.plan.successes if success else self.plan.failures) - self.times
