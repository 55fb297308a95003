from __future__ import annotations

from collections.abc import Callable

from wavetank.kernel.durations import SECOND
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.orchestration.pods import Pod

_FIRST, _LONGEST, _RESET_AFTER = 10.0, 300.0, 600.0  # seconds


class Restarts:
    """Restarts dead containers in their pods, after a back-off that doubles: 10 s to 5 min, anew after 10 min."""

    def __init__(self, simulation: Simulation, start: Callable[[Pod], None]) -> None:
        self._simulation = simulation
        self._start = start

    def restart(self, pod: Pod, retries: int) -> None:
        """Starts the container of a pod again; the first `retries` attempts fail."""
        events, rules = self._simulation.events, self._simulation.rules
        if pod.retried is None or events.now - pod.retried > _RESET_AFTER * SECOND:
            pod.back_off = _FIRST
        events.schedule(rules.span(pod.back_off), self._try, (pod, retries))

    def _try(self, attempt: tuple[Pod, int]) -> None:
        pod, retries = attempt
        if pod.state != "restarting":
            return
        pod.back_off = min(2 * pod.back_off, _LONGEST)
        pod.retried = self._simulation.events.now
        if retries:
            self.restart(pod, retries - 1)
        else:
            self._start(pod)
