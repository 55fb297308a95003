"""What happens to services during a run: instances are killed or started, calls are delayed."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.distributions import Distribution


@dataclass(frozen=True, slots=True)
class KillInstances:
    """Kills instances at `time` (seconds); all of them if no number is given.

    `goes_last` lets everything else at that instant happen before, as in MiSim's scenarios.
    """

    time: float
    service: str
    instances: int | None = None
    goes_last: bool = False


@dataclass(frozen=True, slots=True)
class KillPods:
    """Kills running pods of a deployment of misim-orchestration at `time` (seconds).

    With `service` only the container of that service dies; `retries` is how often its restart fails first.
    """

    time: float
    deployment: str
    instances: int = 0
    service: str | None = None
    retries: int = 0


@dataclass(frozen=True, slots=True)
class StartInstances:
    """Starts instances at `time` (seconds); a negative number shuts instances down gracefully."""

    time: float
    service: str
    instances: int = 1


@dataclass(frozen=True, slots=True)
class InjectDelay:
    """Delays calls that a service makes, from `time` on and for `duration` seconds (None: to the end).

    `source` limits it to the calls of one operation, `target` (service, operation) to calls of that operation.
    """

    time: float
    service: str
    delay: Distribution
    duration: float | None = None
    source: str | None = None
    target: tuple[str, str] | None = None


Action = KillInstances | KillPods | StartInstances | InjectDelay
