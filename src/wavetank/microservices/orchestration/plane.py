"""The management plane: it places pods, replaces dead ones, scales deployments."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.events import HIGH
from wavetank.microservices.engine.simulation import NodeDelays, Simulation
from wavetank.microservices.model.actions import KillPods
from wavetank.microservices.orchestration.config import Deployment, OrchestrationConfig, Scaler
from wavetank.microservices.orchestration.placing import Placer
from wavetank.microservices.orchestration.pods import DeploymentState, Pod
from wavetank.microservices.orchestration.restarts import Restarts

_RECHECK = 2.0  # seconds until a busy pod that shall go is looked at again


class PairDelays(NodeDelays):
    """Normal delays between pairs of nodes; an unknown pair has none."""

    def __init__(self, pairs: Mapping[tuple[str, str], tuple[float, float]]) -> None:
        self._pairs = pairs

    def sample(self, source: str, target: str, random: random.Random) -> float:
        """Draws the delay in seconds; a negative one counts as 0."""
        pair = self._pairs.get((source, target))
        return 0.0 if pair is None else max(0.0, random.gauss(*pair) if pair[1] else pair[0])


@dataclass(frozen=True, slots=True)
class PlaneReport:
    """One second of the reports: pods of each deployment on each node, and the totals."""

    second: int
    on_nodes: Mapping[str, Mapping[str, int]]
    reserved: float
    placed: int
    waiting: int
    running: Mapping[str, int]
    backlogs: Mapping[str, Mapping[str, float]]  # of the running pods of each deployment, in seconds


PickPod = Callable[[list[Pod], Nanoseconds], Pod]


class ManagementPlane:
    """Runs deployments on nodes for a simulation whose instances are placed. Only CPU requests count.

    `placement` fixes the node of each deployment in place of a scheduler. `pick` chooses which of several pods with
    the same backlog is removed; MiSim takes the first of a hash set, so without it one is drawn. `placer` stands for
    the scheduler `kube`, and may add nodes.
    """

    def __init__(
        self,
        simulation: Simulation,
        config: OrchestrationConfig,
        placement: Mapping[str, str] | None = None,
        pick: PickPod | None = None,
        placer: Placer | None = None,
    ) -> None:
        self.reports: list[PlaneReport] = []
        self._simulation = simulation
        self._config = config
        self._placement = placement
        self._pick = pick or (lambda pods, _: simulation.random.choice(pods))
        self._placer = placer if config.scheduler == "kube" else None
        self._restarts = Restarts(simulation, self._start)
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

    def check(self, kill: KillPods) -> None:
        """Refuses to kill pods of a deployment that does not exist."""
        if all(each.spec.name != kill.deployment for each in self._deployments):
            raise InputError(f"no such deployment: {kill.deployment!r}", path="deployment")

    def kill_pods(self, kill: KillPods) -> None:
        """Kills running pods, or the container of a service in them; pods are replaced after the health check.

        In misim-orchestration a pod has one container, so it fails with it and is never restarted.
        """
        state = next(each for each in self._deployments if each.spec.name == kill.deployment)
        for pod in state.running()[: kill.instances]:
            if kill.service is not None and not _has_container(pod, kill.service):
                continue
            self._end_instance(pod)
            if kill.service is not None and not self._simulation.rules.dead_containers_fail_pods:
                pod.state = "restarting"
                self._restarts.restart(pod, kill.retries)
                continue
            pod.state = "dead"
            state.pods.remove(pod)
            if not self._simulation.rules.dead_pods_keep_cpu:
                self._nodes[pod.node].remove(pod)
        delay = self._simulation.rules.span(self._config.health_check)
        self._simulation.events.schedule(delay, self._maintain, priority=HIGH)

    def _end_instance(self, pod: Pod) -> None:
        if pod.instance is not None:
            pod.instance.kill()
            pod.instance.service.instances.remove(pod.instance)
            pod.instance = None

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
            if 0.9 < ratio < 1.1:
                return state.desired
            return max(scaler.least, min(scaler.most, math.ceil(ratio * present)))
        return self._reactive(state, scaler, mean, present)

    def _reactive(self, state: DeploymentState, scaler: Scaler, mean: float, present: int) -> int:
        now = self._simulation.events.now
        if not present:
            return 1
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
                self._pending.append(state.new_pod())
            while len(state.pods) > max(0, state.desired):
                self._remove_one(state)
        if self._placer is not None:
            self._place_with(self._placer)
        else:
            self._pending = [pod for pod in self._pending if not self._place(pod)]

    def _place_with(self, placer: Placer) -> None:
        if not self._pending:
            return
        placement = placer.place([pod for pods in self._nodes.values() for pod in pods], self._pending)
        for node, cpu in placement.new_nodes.items():
            self._nodes.setdefault(node, [])
            self._capacity[node] = cpu
        for node in placement.removed_nodes:
            self._nodes.pop(node, None)
        for pod in self._pending:
            if pod.name in placement.nodes:
                self._put(pod, placement.nodes[pod.name])
        self._pending = [pod for pod in self._pending if not pod.node]

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
        self._put(pod, node)
        return True

    def _put(self, pod: Pod, node: str) -> None:
        pod.node = node
        self._nodes[node].append(pod)
        self._start(pod)

    def _start(self, pod: Pod) -> None:
        pod.state = "running"
        service = self._simulation.services.get(pod.deployment.name)
        if service is not None:
            pod.instance = service.add(node=pod.node)
            start = (self._config.start_times or {}).get(pod.deployment.name, 0.0)
            if start:
                self._after(start, pod.instance.start)
            else:
                pod.instance.start()

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
                {state.spec.name: _backlogs(state) for state in self._deployments},
            )
        )
        self._after(1.0, self._report)


def _has_container(pod: Pod, service: str) -> bool:
    return pod.instance is not None and service in pod.instance.name


def _backlogs(state: DeploymentState) -> dict[str, float]:
    return {pod.name: pod.instance.cpu.backlog() if pod.instance else 0.0 for pod in state.running()}
