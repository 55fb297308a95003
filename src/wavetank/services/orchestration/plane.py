"""The management plane: it places pods, replaces dead ones, scales deployments."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wavetank.kernel.durations import Nanoseconds
from wavetank.services.engine.events import HIGH
from wavetank.services.engine.instance import Instance
from wavetank.services.engine.simulation import NodeDelays, Simulation
from wavetank.services.orchestration.config import Deployment, OrchestrationConfig, Scaler

_RECHECK = 2.0  # seconds until a busy pod that shall go is looked at again


class PairDelays(NodeDelays):
    """Normal delays between pairs of nodes; an unknown pair has none."""

    def __init__(self, pairs: Mapping[tuple[str, str], tuple[float, float]]) -> None:
        self._pairs = pairs

    def sample(self, source: str, target: str, random: random.Random) -> float:
        """Draws the delay in seconds; a negative one counts as 0."""
        pair = self._pairs.get((source, target))
        return 0.0 if pair is None else max(0.0, random.gauss(*pair) if pair[1] else pair[0])


@dataclass(eq=False, slots=True)
class Pod:
    """A pod of a deployment; `node` is empty while it is pending."""

    deployment: Deployment
    instance: Instance | None = None
    node: str = ""
    state: str = "pending"


@dataclass(slots=True)
class DeploymentState:
    """The pods of a deployment that run or are pending, and how many there should be."""

    spec: Deployment
    desired: int
    scaler: Scaler | None = None
    pods: list[Pod] = field(default_factory=list)
    last_scaled: int = 0

    def running(self) -> list[Pod]:
        """Returns the pods that run."""
        return [pod for pod in self.pods if pod.state == "running"]


@dataclass(frozen=True, slots=True)
class PlaneReport:
    """One second of the reports: pods of each deployment on each node, and the totals."""

    second: int
    on_nodes: Mapping[str, Mapping[str, int]]
    reserved: float
    placed: int
    waiting: int
    running: Mapping[str, int]


PickPod = Callable[[list[Pod], Nanoseconds], Pod]


class ManagementPlane:
    """Runs deployments on nodes for a simulation whose instances are placed. Only CPU requests count.

    `placement` fixes the node of each deployment in place of a scheduler. `pick` chooses which of several pods with
    the same backlog is removed; MiSim takes the first of a hash set, so without it one is drawn.
    """

    def __init__(
        self,
        simulation: Simulation,
        config: OrchestrationConfig,
        placement: Mapping[str, str] | None = None,
        pick: PickPod | None = None,
    ) -> None:
        self.reports: list[PlaneReport] = []
        self._simulation = simulation
        self._config = config
        self._placement = placement
        self._pick = pick or (lambda pods, _: simulation.random.choice(pods))
        self._nodes: dict[str, list[Pod]] = {name: [] for name, _ in config.nodes}
        self._capacity = {name: cpu * 1000 for name, cpu in config.nodes}
        self._pending: list[Pod] = []
        scalers = {scaler.service: scaler for scaler in config.scalers}
        self._deployments = [
            DeploymentState(each, each.replicas, scalers.get(each.name)) for each in config.deployments
        ]
        self._maintain()
        self._scale(None)
        self._report(None)

    def kill_pods(self, deployment: str, number: int | None) -> None:
        """Kills running pods; they are replaced after the health check, and stay on their node."""
        state = next(each for each in self._deployments if each.spec.name == deployment)
        for pod in state.running()[:number]:
            pod.state = "dead"
            state.pods.remove(pod)
            if pod.instance is not None:
                pod.instance.kill()
                pod.instance.service.instances.remove(pod.instance)
            if not self._simulation.rules.dead_pods_keep_cpu:
                self._nodes[pod.node].remove(pod)
        delay = self._simulation.rules.span(self._config.health_check)
        self._simulation.events.schedule(delay, self._maintain, priority=HIGH)

    def _after(self, seconds: float, callback: Callable[[Any], None], argument: object = None) -> None:
        self._simulation.events.schedule(self._simulation.rules.span(seconds), callback, argument)

    # scaling

    def _scale(self, _: object) -> None:
        for state in self._deployments:
            if state.scaler is not None:
                state.desired = self._desired(state, state.scaler)
        self._maintain()
        if self._config.interval:
            self._after(self._config.interval, self._scale)

    def _desired(self, state: DeploymentState, scaler: Scaler) -> int:
        if scaler.type == "Fake":
            step = scaler.increment if state.desired < scaler.most else -scaler.decrement
            return state.desired + step
        backlogs = [pod.instance.cpu.backlog() for pod in state.running() if pod.instance is not None]
        mean = sum(backlogs) / len(backlogs) if backlogs else 0.0
        present = len(state.pods)
        if scaler.type == "HPA":
            ratio = mean / scaler.target
            wanted = present if 0.9 < ratio < 1.1 else math.ceil(ratio * present)
            return max(scaler.least, min(scaler.most, wanted))
        return self._reactive(state, scaler, mean, present)

    def _reactive(self, state: DeploymentState, scaler: Scaler, mean: float, present: int) -> int:
        now = self._simulation.events.now
        if mean >= scaler.upper:
            state.last_scaled = now
            return max(1, math.ceil(present * mean / (scaler.upper - 0.01)))
        is_over = now - state.last_scaled > self._simulation.rules.span(scaler.hold)
        if mean <= scaler.lower and present > 1 and is_over:
            state.last_scaled = now
            return max(1, math.ceil(present * max(0.01, mean) / scaler.lower))
        return state.desired

    # pods

    def _maintain(self, _: object = None) -> None:
        for state in self._deployments:
            while len(state.pods) < state.desired:
                pod = Pod(state.spec)
                state.pods.append(pod)
                self._pending.append(pod)
            while len(state.pods) > max(0, state.desired):
                self._remove_one(state)
        self._pending = [pod for pod in self._pending if not self._place(pod)]

    def _remove_one(self, state: DeploymentState) -> None:
        pending = next((pod for pod in state.pods if pod.state == "pending"), None)
        if pending is not None:
            state.pods.remove(pending)
            self._pending.remove(pending)
            return
        backlogs = [pod.instance.cpu.backlog() if pod.instance else 0.0 for pod in state.pods]
        least = min(backlogs)
        equal = [pod for pod, backlog in zip(state.pods, backlogs, strict=True) if backlog == least]
        pod = self._pick(equal, self._simulation.events.now)
        state.pods.remove(pod)
        pod.state = "leaving"
        if pod.instance is not None:
            pod.instance.drain()
        self._after(0, self._check_removable, pod)

    def _check_removable(self, pod: Pod) -> None:
        if pod.instance is not None and pod.instance.cpu.backlog() > 0:
            self._after(_RECHECK, self._check_removable, pod)
            return
        self._nodes[pod.node].remove(pod)
        if pod.instance is not None:
            pod.instance.service.instances.remove(pod.instance)

    def _place(self, pod: Pod) -> bool:
        node = self._choose(pod.deployment)
        if node is None:
            return False
        pod.node = node
        pod.state = "running"
        self._nodes[node].append(pod)
        service = self._simulation.services.get(pod.deployment.name)
        if service is not None:
            pod.instance = service.add(node=pod.node)
            start = (self._config.start_times or {}).get(pod.deployment.name, 0.0)
            if start:
                self._after(start, pod.instance.start)
            else:
                pod.instance.start()
        return True

    def _choose(self, deployment: Deployment) -> str | None:
        if self._placement is not None:
            return self._placement.get(deployment.name)
        fitting = [name for name in self._nodes if self._reserved(name) + deployment.cpu <= self._capacity[name]]
        if not fitting:
            return None
        if self._config.scheduler == "random":
            return self._simulation.random.choice(fitting)
        return min(fitting, key=lambda name: sum(pod.deployment is deployment for pod in self._nodes[name]))

    def _reserved(self, node: str) -> int:
        return sum(pod.deployment.cpu for pod in self._nodes[node])

    # reports

    def _report(self, _: object) -> None:
        names = [state.spec.name for state in self._deployments]
        counts = {
            node: {name: sum(pod.deployment.name == name for pod in pods) for name in names}
            for node, pods in self._nodes.items()
        }
        self.reports.append(
            PlaneReport(
                len(self.reports),
                counts,
                sum(self._reserved(node) for node in self._nodes) / 1000,
                sum(len(pods) for pods in self._nodes.values()),
                len(self._pending),
                {state.spec.name: len(state.running()) for state in self._deployments},
            )
        )
        self._after(1.0, self._report)
