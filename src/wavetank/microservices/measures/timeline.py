from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.requests import Request
from wavetank.microservices.measures.calls import CallFigures, Edge, edge_of
from wavetank.microservices.measures.histogram import Histogram
from wavetank.microservices.measures.recorder import LatencyRecorder
from wavetank.microservices.measures.spans import TraceSampler, TraceSetting

QUANTILES = (0.5, 0.95, 0.99, 0.999)
_PER_DECADE = 5  # coarse buckets


@dataclass(slots=True)
class Interval:
    """What users saw in one interval of time: response times and failures."""

    histogram: Histogram = field(default_factory=Histogram)
    failed: int = 0


@dataclass(frozen=True, slots=True)
class IntervalFigures:
    """The figures of one interval: times in seconds, `quantiles` are those of QUANTILES."""

    start: Nanoseconds
    service: str
    operation: str
    succeeded: int
    failed: int
    mean: float
    quantiles: tuple[float, ...]
    buckets: tuple[tuple[int, int], ...]  # (number of a coarse bucket, count), see `coarse_bounds`


class ServiceTimeline(LatencyRecorder):
    """Keeps response times in total, for each edge of the service graph and for each interval in which requests ended.

    It also keeps the requests of users that are sampled as traces.
    """

    def __init__(self, interval: Nanoseconds, traces: TraceSetting) -> None:
        super().__init__()
        self.interval = interval
        self.keeps_calls = traces.keeps_any
        self.traces = TraceSampler(traces)
        self.edges: defaultdict[Edge, CallFigures] = defaultdict(CallFigures)
        self._at = -1
        self._current: dict[tuple[str, str], Interval] = {}
        self._closed: list[IntervalFigures] = []

    def responded(self, service: str, operation: str, now: Nanoseconds, response: Nanoseconds) -> None:
        """Counts a response time."""
        super().responded(service, operation, now, response)
        self._interval(service, operation, now).histogram.add(response)

    def failed(self, service: str, operation: str, now: Nanoseconds, reason: str) -> None:
        """Counts a failure."""
        super().failed(service, operation, now, reason)
        self._interval(service, operation, now).failed += 1

    def request_ended(self, request: Request) -> None:
        """Counts a request of a user and samples it."""
        self.edges[edge_of(request)].add(request)
        if self.keeps_calls:
            self.traces.ended(request)

    def call_ended(self, request: Request) -> None:
        """Counts a call between services."""
        self.edges[edge_of(request)].add(request)

    def _interval(self, service: str, operation: str, now: Nanoseconds) -> Interval:
        at = now // self.interval
        if at != self._at:
            self._close()
            self._at = at
        key = (service, operation)
        if key not in self._current:
            self._current[key] = Interval()
        return self._current[key]

    def _close(self) -> None:
        for (service, operation), interval in sorted(self._current.items()):
            self._closed.append(_figures(self._at * self.interval, service, operation, interval))
        self._current = {}

    def intervals(self) -> list[IntervalFigures]:
        """Returns the figures of all intervals, in order of time."""
        self._close()
        return self._closed


def _figures(start: Nanoseconds, service: str, operation: str, interval: Interval) -> IntervalFigures:
    histogram = interval.histogram
    quantiles = tuple(histogram.quantile(share) for share in QUANTILES)
    return IntervalFigures(
        start, service, operation, histogram.number, interval.failed, histogram.mean(), quantiles, coarse(histogram)
    )


def coarse(histogram: Histogram) -> tuple[tuple[int, int], ...]:
    """Returns the counts in coarse buckets for a heat map, five for each power of ten."""
    counts: Counter[int] = Counter()
    for low, count in histogram.rows():
        counts[math.floor(math.log10(max(low, 1) / SECOND) * _PER_DECADE + 1e-9)] += count
    return tuple(sorted(counts.items()))


def coarse_bounds(bucket: int) -> tuple[float, float]:
    """Returns the bounds of a coarse bucket in seconds."""
    return 10 ** (bucket / _PER_DECADE), 10 ** ((bucket + 1) / _PER_DECADE)
