from __future__ import annotations

import random

from wavetank.kernel.distributions import Distribution
from wavetank.microservices.model.actions import InjectDelay
from wavetank.microservices.model.architecture import Call
from wavetank.microservices.model.rules import Rules


class Injections:
    """Delays that are injected at present; they add up.

    In MiSim a call has at most one: the last beginning or end of an injection that concerns it counts.
    """

    def __init__(self, rules: Rules) -> None:
        self._last_replaces = rules.last_injection_replaces
        self._active: list[tuple[InjectDelay, Distribution | None]] = []

    def begin(self, injection: InjectDelay) -> None:
        """Starts an injection."""
        self._active.append((injection, injection.delay))

    def end(self, injection: InjectDelay) -> None:
        """Ends an injection."""
        if self._last_replaces:
            self._active.append((injection, None))
        else:
            self._active.remove((injection, injection.delay))

    def delay(self, service: str, operation: str, call: Call, random: random.Random) -> float:
        """Returns the delay in seconds that is added to a call of an operation."""
        if not self._active:
            return 0.0
        delays = [delay for injection, delay in self._active if _concerns(injection, service, operation, call)]
        if self._last_replaces:
            delays = delays[-1:]
        return sum(delay.sample(random) for delay in delays if delay is not None)


def _concerns(injection: InjectDelay, service: str, operation: str, call: Call) -> bool:
    return (
        injection.service == service
        and injection.source in (None, operation)
        and injection.target in (None, (call.service, call.operation))
    )
