"""Services, their operations and what operations call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from wavetank.kernel.distributions import Constant, Distribution
from wavetank.microservices.model.quantities import ONE, PositiveNormal

Policy = Literal["fifo", "lifo", "sjn", "sarr", "mlfq", "ps"]
Balancer = Literal["random", "round-robin", "round-robin-fast", "even", "util"]
Backoff = Literal["exponential", "linear"]

MISIM_THREADS = 4
MISIM_HOP = PositiveNormal(0.0016, 0.0006)  # seconds
CALL_TIMEOUT = 8.0  # seconds


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an operation. `probability` is drawn for each request; `delay` (seconds) replaces that of the hop.

    `weight` counts among the branches of an alternative. Sizes (bytes) replace those of the operation.
    """

    service: str
    operation: str
    probability: Distribution = ONE
    delay: Distribution | None = None
    weight: float = 1.0
    request_size: int | None = None
    answer_size: int | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of several branches, chosen by weight; the branch's own probability still applies."""

    branches: tuple[Dependency, ...]
    probability: Distribution = ONE
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Loop:
    """A body that is repeated; one iteration after the other or all at once, by the preset's rules."""

    body: tuple[Dependency, ...]
    iterations: int = 1
    probability: Distribution = ONE
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Sequence:
    """Steps that are made one after the other."""

    steps: tuple[Dependency, ...]
    probability: Distribution = ONE
    weight: float = 1.0


Dependency = Call | Alternative | Loop | Sequence


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: it makes its calls, computes `demand` units of work, then answers. Sizes are in bytes."""

    name: str
    demand: Distribution
    dependencies: tuple[Dependency, ...] = ()
    request_size: int = 0
    answer_size: int = 0


@dataclass(frozen=True, slots=True)
class Retry:
    """Sends a failed call again, `tries` times in all; waits are in seconds."""

    tries: int = 5
    backoff: Backoff = "exponential"
    jitter: bool = True
    base_wait: float = 0.01
    base: float = 3.0
    longest_wait: float = 1.0

    def wait(self, sent: int) -> float:
        """Returns the wait after `sent` tries, before jitter."""
        if self.backoff == "linear":
            return max(0.0, min(self.base_wait + self.base * sent - 1, self.longest_wait))
        return min(self.base_wait * self.base ** (sent - 1), self.longest_wait)


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """Refuses calls of a service after too many failures; `limit` is the number of open calls allowed to it.

    Opens when a failure brings the share of failures within `window` seconds to `threshold`, for `sleep` seconds.
    """

    threshold: float | None = None
    window: float = 20.0
    sleep: float = 0.5
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ReactiveScaling:
    """Changes the number of instances by their mean backlog, in seconds of work; all times are in seconds."""

    period: float = 1.0
    start: float = 0.0
    stop: float | None = None
    lower: float = 0.3
    upper: float = 0.8
    least: int = 1
    most: int | None = None
    hold: float = 120.0


@dataclass(frozen=True, slots=True)
class Service:
    """A service. Each instance computes `capacity` units of work a second on `threads` threads."""

    name: str
    operations: tuple[Operation, ...]
    instances: int = 1
    capacity: float = 1.0
    threads: int = MISIM_THREADS
    policy: Policy = "fifo"
    balancer: Balancer = "random"
    retry: Retry | None = None
    breaker: CircuitBreaker | None = None
    scaling: ReactiveScaling | None = None

    def operation(self, name: str) -> Operation | None:
        """Returns the operation of that name, if there is one."""
        return next((each for each in self.operations if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Architecture:
    """All services of an application. `hop` is the delay in seconds of a message between two instances."""

    services: tuple[Service, ...]
    hop: Distribution = field(default=MISIM_HOP)
    timeout: float | None = CALL_TIMEOUT

    def service(self, name: str) -> Service | None:
        """Returns the service of that name, if there is one."""
        return next((each for each in self.services if each.name == name), None)


def calls_of(dependencies: tuple[Dependency, ...]) -> Iterator[Call]:
    """Yields every call that dependencies may make."""
    for each in dependencies:
        if isinstance(each, Call):
            yield each
        elif isinstance(each, Alternative):
            yield from calls_of(each.branches)
        else:
            yield from calls_of(each.body if isinstance(each, Loop) else each.steps)


def constant(value: float) -> Distribution:
    """Returns a quantity that is always `value`."""
    return ONE if value == 1 else Constant(value)
