from __future__ import annotations

from collections import Counter, defaultdict

from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.observer import Observer

MICROSECOND = 1000


class SeriesRecorder(Observer):
    """Keeps what MiSim writes into its series; times in microseconds."""

    def __init__(self) -> None:
        self.responses: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.failures: list[tuple[int, str, str, str]] = []
        self.succeeded = 0
        self.failed_users = 0
        self.counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.choices: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.received: Counter[str] = Counter()
        self.retries: list[tuple[int, float]] = []
        self.circuits: dict[tuple[str, str], list[tuple[int, tuple[str, int, int, float]]]] = defaultdict(list)
        self.decisions: dict[str, list[tuple[int, float, str, int]]] = defaultdict(list)

    def responded(self, service: str, operation: str, now: Nanoseconds, response: Nanoseconds) -> None:
        """Keeps a response time."""
        self.responses[operation].append((now // MICROSECOND, response // MICROSECOND))
        self.succeeded += 1

    def failed(self, service: str, operation: str, now: Nanoseconds, reason: str) -> None:
        """Keeps a failure of a user's request."""
        self.failures.append((now // MICROSECOND, "UserRequest", operation, reason))
        self.failed_users += 1

    def call_failed(self, operation: str, now: Nanoseconds, reason: str) -> None:
        """Keeps a failure of a call."""
        self.failures.append((now // MICROSECOND, "InternalRequest", operation, reason))

    def answer_dropped(self, now: Nanoseconds) -> None:
        """Keeps a dropped answer, as MiSim names it."""
        self.failures.append((now // MICROSECOND, "RequestAnswer", "Dummy", "HANDLING_INSTANCE_DIED"))

    def chosen(self, service: str, instance: str, now: Nanoseconds) -> None:
        """Keeps a choice of the load balancer."""
        self.choices[service].append((now // MICROSECOND, instance))
        self.received[instance] += 1

    def retried(self, now: Nanoseconds, wait: float) -> None:
        """Keeps a wait before another try."""
        self.retries.append((now // MICROSECOND, wait))

    def instances(self, service: str, now: Nanoseconds, number: int) -> None:
        """Keeps a number of instances."""
        self.counts[service].append((now // MICROSECOND, number))

    def breaker(self, instance: str, target: str, now: Nanoseconds, state: tuple[str, int, int, float]) -> None:
        """Keeps a state of a circuit breaker."""
        self.circuits[instance, target].append((now // MICROSECOND, state))

    def scaled(self, service: str, now: Nanoseconds, backlog: float, decision: str, change: int) -> None:
        """Keeps a decision of an autoscaler."""
        self.decisions[service].append((now // MICROSECOND, backlog, decision, change))
