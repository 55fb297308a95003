from __future__ import annotations

import math
from typing import TYPE_CHECKING

from wavetank.microservices.engine.balancers import BALANCERS
from wavetank.microservices.engine.cpu import Cpu
from wavetank.microservices.engine.events import HIGH
from wavetank.microservices.engine.instance import Instance
from wavetank.microservices.model.architecture import ReactiveScaling, Service

if TYPE_CHECKING:
    from wavetank.microservices.engine.simulation import Simulation


class RunningService:
    """A service with its instances. `instances` are those that count: not the dead, not those that shut down."""

    def __init__(self, simulation: Simulation, spec: Service) -> None:
        self.name = spec.name
        self.spec = spec
        self.instances: list[Instance] = []
        self._simulation = simulation
        self._balancer = BALANCERS[spec.balancer](simulation.random, simulation.rules)
        self._started = 0

    def choose(self) -> Instance | None:
        """Returns the instance for the next request; None if none runs."""
        instance = self._balancer.choose([each for each in self.instances if each.is_running])
        if instance is not None:
            self._simulation.observer.chosen(self.name, instance.name, self._simulation.events.now)
        return instance

    def backlog(self) -> float:
        """Returns the mean backlog of the instances in seconds."""
        return sum(each.cpu.backlog() for each in self.instances) / len(self.instances) if self.instances else 0.0

    def scale(self, number: int) -> None:
        """Starts instances, or shuts down the ones with the fewest active threads."""
        while len(self.instances) < number:
            self._simulation.events.schedule(0, self.add().start, priority=HIGH)
        while len(self.instances) > max(number, 0):
            idlest = min(self.instances, key=lambda each: (each.cpu.active, each.number))
            self.instances.remove(idlest)
            self._simulation.events.schedule(0, idlest.drain, priority=HIGH)
        self._report()

    def add(self, name: str = "", node: str = "", cpu: Cpu | None = None) -> Instance:
        """Makes an instance, which does not run yet; without a CPU it gets one of its own."""
        number = self._started
        self._started += 1
        instance = Instance(self._simulation, self, number, name or f"{self.name}_I{number}", node, cpu)
        self.instances.append(instance)
        return instance

    def kill(self, number: int | None) -> None:
        """Kills the instances with the lowest numbers; all of them without a number."""
        for instance in self.instances[:number]:
            instance.kill()
            self.instances.remove(instance)
            self._report()

    def _report(self) -> None:
        self._simulation.observer.instances(self.name, self._simulation.events.now, len(self.instances))


class Autoscaler:
    """Evaluates the reactive policy of one service periodically."""

    def __init__(self, simulation: Simulation, service: RunningService, policy: ReactiveScaling) -> None:
        self._simulation = simulation
        self._service = service
        self._policy = policy
        self._last = 0
        simulation.events.schedule(simulation.rules.span(policy.start), self._evaluate, priority=HIGH)

    def _evaluate(self, _: object) -> None:
        events, rules, policy = self._simulation.events, self._simulation.rules, self._policy
        service, now = self._service, events.now
        backlog, present = service.backlog(), len(service.instances)
        decision, wanted = self._decide(backlog, present)
        if decision != "Hold":
            service.scale(wanted)
        if decision in ("Up", "Down"):
            self._last = now
        self._simulation.observer.scaled(service.name, now, backlog, decision, wanted - present)
        counted = now + (rules.span(policy.start) if rules.start_counts_twice else 0)
        if policy.stop is None or counted < rules.span(policy.stop):
            events.schedule(rules.span(policy.period), self._evaluate, priority=HIGH)

    def _decide(self, backlog: float, present: int) -> tuple[str, int]:
        policy = self._policy
        most = math.inf if policy.most is None else policy.most
        if present < policy.least:
            return "Spawn", policy.least
        if present > most:
            return "Despawn", int(most)
        if backlog >= policy.upper and present < most:
            return "Up", int(min(most, max(1, math.ceil(present * (backlog / (policy.upper - 0.01))))))
        is_over = self._simulation.events.now - self._last > self._simulation.rules.span(policy.hold)
        if backlog <= policy.lower and present > policy.least and is_over:
            return "Down", max(policy.least, math.ceil(present * (max(0.01, backlog) / policy.lower)))
        return "Hold", present
