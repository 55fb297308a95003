from __future__ import annotations

from collections import deque

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.engine.events import AT_ONCE, EventQueue
from wavetank.microservices.model.architecture import CircuitBreaker
from wavetank.microservices.model.rules import Rules

_FEWEST = 5  # results in the window, below which the share of failures counts as 0


class Circuit:
    """A circuit breaker between one instance and one service that it calls."""

    def __init__(self, breaker: CircuitBreaker, events: EventQueue, rules: Rules) -> None:
        self.open_calls = 0
        self.state = "CLOSED"
        self._events = events
        self._threshold = breaker.threshold
        self._window = int(breaker.window) * SECOND if rules.truncates_to_microseconds else rules.span(breaker.window)
        self._sleep = rules.span(breaker.sleep)
        self._results: deque[tuple[Nanoseconds, bool]] = deque()
        self._failures = 0
        self._wakes = False
        self._totals = [0, 0]

    def summary(self) -> tuple[str, int, int, float]:
        """Returns the state, the successes and failures so far, and the share of failures in the window."""
        return self.state, self._totals[1], self._totals[0], self._share()

    def succeeded(self) -> None:
        """Counts an answer; the first one after a sleep closes the circuit."""
        self._forget_old()
        self._totals[1] += 1
        if self.state == "HALF_OPEN":
            self.state = "CLOSED"
            self._results.clear()
            self._failures = 0
        self._results.append((self._events.now, True))

    def failed(self) -> None:
        """Counts a failure, which may open the circuit."""
        self._forget_old()
        self._totals[0] += 1
        if self.state == "HALF_OPEN":
            self._open()
            return
        self._results.append((self._events.now, False))
        self._failures += 1
        if self._threshold is not None and self._share() >= self._threshold:
            self._open()

    def _share(self) -> float:
        return self._failures / len(self._results) if len(self._results) >= _FEWEST else 0.0

    def _forget_old(self) -> None:
        start = self._events.now - self._window
        while self._results and self._results[0][0] < start:
            self._failures -= not self._results.popleft()[1]

    def _open(self) -> None:
        self.state = "OPEN"
        if not self._wakes:
            self._wakes = True
            self._events.schedule(self._sleep, self._half_open, priority=AT_ONCE)

    def _half_open(self, _: object) -> None:
        self._wakes = False
        self.state = "HALF_OPEN"
