from __future__ import annotations

from collections import Counter, defaultdict

from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.observer import Observer
from wavetank.microservices.measures.histogram import Histogram


class LatencyRecorder(Observer):
    """Keeps response times of users' requests as histograms, and failures by reason."""

    def __init__(self) -> None:
        self.histograms: dict[tuple[str, str], Histogram] = defaultdict(Histogram)
        self.failures: Counter[tuple[str, str, str]] = Counter()
        self.retries = 0
        self.received: Counter[str] = Counter()

    def responded(self, service: str, operation: str, now: Nanoseconds, response: Nanoseconds) -> None:
        """Counts a response time."""
        self.histograms[service, operation].add(response)

    def failed(self, service: str, operation: str, now: Nanoseconds, reason: str) -> None:
        """Counts a failure."""
        self.failures[service, operation, str(reason)] += 1

    def retried(self, now: Nanoseconds, wait: float) -> None:
        """Counts another try."""
        self.retries += 1

    def chosen(self, service: str, instance: str, now: Nanoseconds) -> None:
        """Counts a request for an instance."""
        self.received[instance] += 1

    def histogram(self, service: str, operation: str) -> Histogram:
        """Returns the response times of an operation."""
        return self.histograms[service, operation]
