from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.kernel.durations import seconds
from wavetank.microservices.model.load import ClosedUsers, Generator

if TYPE_CHECKING:
    from wavetank.microservices.engine.simulation import Simulation


class Users:
    """Sends the requests of a generator; closed users send again when they have thought."""

    def __init__(self, simulation: Simulation, generator: Generator) -> None:
        self._simulation = simulation
        self._generator = generator
        self._times = generator.load.times(simulation.rules, simulation.random)
        self._schedule_next()

    def _schedule_next(self) -> None:
        following = next(self._times, None)
        if following is not None:
            self._simulation.events.schedule(following - self._simulation.events.now, self._arrive)

    def _arrive(self, _: object) -> None:
        self._send(None)
        self._schedule_next()

    def _send(self, _: object) -> None:
        generator = self._generator
        self._simulation.send_user(generator.service, generator.operation, self)

    def ended(self) -> None:
        """Called when a request was answered or failed; a closed user sends the next one after its think time."""
        load = self._generator.load
        if not isinstance(load, ClosedUsers):
            return
        events, rules = self._simulation.events, self._simulation.rules
        think = rules.span(load.think.sample(self._simulation.random))
        if load.stop is None or events.now + think < seconds(load.stop):
            events.schedule(think, self._send)
