from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.kernel.durations import Nanoseconds

if TYPE_CHECKING:
    from wavetank.microservices.engine.instance import Instance
    from wavetank.microservices.engine.requests import Request


class Observer:
    """Callbacks for what happens in a simulation, all empty; recorders override those that they need."""

    keeps_calls = False  # whether requests keep the calls that they made, for `request_ended`

    watches_cpus = False  # whether `cpu_changed` is called

    def cpu_changed(self, instance: Instance, now: Nanoseconds, is_settled: bool) -> None:
        """Processes came to or left the thread pool of an instance; it is settled after it has chosen what runs."""

    def arrived(self, service: str, operation: str, now: Nanoseconds) -> None:
        """A user sends a request."""

    def request_ended(self, request: Request) -> None:
        """A request of a user was answered or failed."""

    def call_ended(self, request: Request) -> None:
        """The answer of a call is back, or the call failed."""

    def responded(self, service: str, operation: str, now: Nanoseconds, response: Nanoseconds) -> None:
        """A request of a user was answered after `response`."""

    def failed(self, service: str, operation: str, now: Nanoseconds, reason: str) -> None:
        """A request of a user failed."""

    def call_failed(self, operation: str, now: Nanoseconds, reason: str) -> None:
        """A call between services failed."""

    def answer_dropped(self, now: Nanoseconds) -> None:
        """An answer came too late, or to an instance that does not run."""

    def chosen(self, service: str, instance: str, now: Nanoseconds) -> None:
        """A load balancer chose an instance."""

    def retried(self, now: Nanoseconds, wait: float) -> None:
        """A call will be sent again after `wait` seconds."""

    def instances(self, service: str, now: Nanoseconds, number: int) -> None:
        """The number of instances was set."""

    def instance_state(self, instance: str, now: Nanoseconds, state: str) -> None:
        """An instance changed its state."""

    def breaker(self, instance: str, target: str, now: Nanoseconds, state: tuple[str, int, int, float]) -> None:
        """A circuit breaker saw a call: (state, successes, failures, share of failures in the window)."""

    def scaled(self, service: str, now: Nanoseconds, backlog: float, decision: str, change: int) -> None:
        """An autoscaler decided; `backlog` is the mean over the instances, in seconds."""
