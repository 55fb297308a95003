from __future__ import annotations

from collections.abc import Callable

from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
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

    def resume(self, container: Container, kind: str, plan: ProbePlan) -> Nanoseconds | None:
        """Goes on with a probe of a container that has been running since before a restart of the simulation.

        What it has found is found again. Returns when it failed for good, if the container is killed for that.
        """
        assert container.since is not None
        assert container.probed is not None
        worker, now = _Worker(container, kind, plan), self._clock.now
        due = max(container.probed, container.since + plan.delay)
        while due < now or (due == now and not worker.brings_news(due)):
            success = plan.succeeds(due - container.since)
            needed = worker.count(success)
            if needed == 0 and not success and kind != READINESS:
                return due
            if worker.is_done(needed):
                return None
            due = worker.following(due) if needed >= 0 else worker.last_before_change(due, now)
        self._at(worker, due)
        return None

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
        if not worker.is_done(needed):
            self._at(worker, worker.following(self._clock.now))
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
        return self._needed(success) - self.times

    def _needed(self, success: bool) -> int:
        return self.plan.successes if success else self.plan.failures

    def is_done(self, needed: int) -> bool:
        """Tells whether the probe is not made again, if so many more results were needed."""
        return needed <= 0 and (self.kind == STARTUP or self.plan.always_succeeds)

    def following(self, made: Nanoseconds) -> Nanoseconds:
        """Returns when the probe is made next."""
        return made + self.plan.period

    # after a restart of the simulation

    def brings_news(self, due: Nanoseconds) -> bool:
        """Tells whether the probe due now would change the container's status: then it has not been made yet."""
        assert self.container.since is not None
        success = self.plan.succeeds(due - self.container.since)
        counts = self._needed(success) == (self.times + 1 if success is self.result else 1)
        if self.kind == READINESS:
            return counts and success is not self.container.ready
        return counts and success and self.kind == STARTUP

    def last_before_change(self, made: Nanoseconds, now: Nanoseconds) -> Nanoseconds:
        """Returns the time of the last probe until now with the same result as all since `made`, or the next one."""
        assert self.container.since is not None
        changes = (self.container.since + age for age, _ in self.plan.changes)
        end = min((change - 1 for change in changes if change > made), default=now)
        return made + self.plan.period * max(1, (min(end, now) - made) // self.plan.period)
