"""The load of services over time: pods, CPU, throttling, queues."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.cluster.podinstance import PodInstance


@dataclass(frozen=True, slots=True)
class ServiceLoad:
    """One service in one interval. `pods`, `cpu` (cores), `requested` (cores) and `queue` are means over time.

    `queue` counts the requests at the CPU, computed or waiting for it; `queue_at_end` at the end of the interval.
    `open_requests` are all that instances have then, also those that wait for their own calls.
    """

    start: Nanoseconds
    service: str
    pods: float
    requests: int
    cpu: float
    requested: float
    throttled: float  # seconds of pods
    queue: float
    queue_at_end: int
    open_requests: int


@dataclass(slots=True)
class _Totals:
    """What a pod has come to so far."""

    time: Nanoseconds
    requests: int
    used: float
    throttled: float
    queueing: float


class LoadTimeline:
    """Takes the load of all services at the end of each interval."""

    def __init__(self, services: Iterable[str]) -> None:
        self.intervals: list[ServiceLoad] = []
        self._services = list(services)
        self._last: dict[PodInstance, _Totals] = {}
        self._since: Nanoseconds = 0

    def take(self, now: Nanoseconds, pods: Iterable[PodInstance]) -> None:
        """Closes the interval; `pods` are those that have taken requests in it or still compute some."""
        if now == self._since:
            return
        by_service: dict[str, list[PodInstance]] = {name: [] for name in self._services}
        for pod in pods:
            by_service[pod.instance.service.name].append(pod)
        for name, some in by_service.items():
            self.intervals.append(self._load(name, some, now))
        self._since = now

    def _load(self, service: str, pods: list[PodInstance], now: Nanoseconds) -> ServiceLoad:
        elapsed = (now - self._since) / SECOND
        changes = [self._change(pod, now) for pod in pods]
        lived = [change.time / SECOND for change in changes]
        return ServiceLoad(
            self._since,
            service,
            sum(lived) / elapsed,
            sum(change.requests for change in changes),
            sum(change.used for change in changes) / elapsed,
            sum(time * pod.requested for time, pod in zip(lived, pods, strict=True)) / elapsed,
            sum(change.throttled for change in changes),
            sum(change.queueing for change in changes) / elapsed,
            sum(pod.queue for pod in pods),
            sum(len(pod.instance.handled) for pod in pods),
        )

    def _change(self, pod: PodInstance, now: Nanoseconds) -> _Totals:
        """Returns how much a pod has added since the last look; its time ends when it takes no more requests."""
        before = self._last.get(pod) or _Totals(pod.started, 0, 0.0, 0.0, 0.0)
        used, queueing = pod.totals()
        until = now if pod.ended is None else max(pod.ended, before.time)
        self._last[pod] = _Totals(until, pod.instance.received, used, pod.share.throttled_until(now), queueing)
        after = self._last[pod]
        if pod.ended is not None and not pod.instance.handled:
            del self._last[pod]
        return _Totals(
            after.time - before.time,
            after.requests - before.requests,
            after.used - before.used,
            after.throttled - before.throttled,
            after.queueing - before.queueing,
        )
