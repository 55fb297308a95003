from __future__ import annotations

from dataclasses import dataclass, field

from wavetank.kernel.durations import Nanoseconds
from wavetank.services.measures.histogram import Histogram
from wavetank.services.measures.recorder import LatencyRecorder

QUANTILES = (0.5, 0.95, 0.99, 0.999)


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


class ServiceTimeline(LatencyRecorder):
    """Keeps response times in total and for each interval of time in which a request ended."""

    def __init__(self, interval: Nanoseconds) -> None:
        super().__init__()
        self.interval = interval
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
    return IntervalFigures(start, service, operation, histogram.number, interval.failed, histogram.mean(), quantiles)
