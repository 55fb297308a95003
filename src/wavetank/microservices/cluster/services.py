from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.cluster.actions import ClusterActions
from wavetank.microservices.cluster.load import LoadTimeline
from wavetank.microservices.cluster.overloads import LinkLoads, Overloaded, all_overloads, lasting_overloads
from wavetank.microservices.cluster.podinstance import PodInstance
from wavetank.microservices.cluster.topology import ClusterNetwork, NetworkSetting
from wavetank.microservices.engine.cpu import Cpu
from wavetank.microservices.engine.events import AT_ONCE
from wavetank.microservices.engine.nodecpu import NodeCpu, PodCpu
from wavetank.microservices.engine.overload import OverloadWatch
from wavetank.microservices.engine.queuedcpu import QueuedCpu
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.measures.spans import TraceSetting
from wavetank.microservices.measures.timeline import ServiceTimeline
from wavetank.microservices.model.architecture import Architecture
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.rules import CORRECT, Rules
from wavetank.quantity import milli


@dataclass(frozen=True)
class ServicesSetting:
    """Services on a cluster. `deployments` gives the workload whose pods are the instances of a service."""

    architecture: Architecture
    experiment: ServiceExperiment
    deployments: Mapping[str, str]
    rules: Rules = CORRECT
    interval: Nanoseconds = 10 * SECOND
    network: NetworkSetting = field(default_factory=NetworkSetting)
    traces: TraceSetting = field(default_factory=TraceSetting)


class ClusterServices:
    """Runs requests on the pods of a cluster.

    A pod is an instance while it is Running and its node is ready. A pod that is deleted finishes the requests it has
    within its grace period; one that fails, or whose node does, loses them. Requests change nothing in the cluster, so
    they are simulated only up to the next change of an instance.
    """

    def __init__(self, setting: ServicesSetting) -> None:
        self.setting = setting
        self.timeline = ServiceTimeline(setting.interval, setting.traces)
        self.load = LoadTimeline(setting.deployments)
        self.link_loads = LinkLoads(setting.interval)
        self.instances: list[PodInstance] = []
        self._service_of = {deployment: service for service, deployment in setting.deployments.items()}
        self._running: dict[str, PodInstance] = {}
        self._left: list[PodInstance] = []  # pods that take no more requests, in this interval or with work to do
        self._by_name: dict[tuple[str, str], PodInstance] = {}
        self._nodes: dict[str, NodeCpu] = {}
        self._domains: dict[str, str] = {}
        self.network = ClusterNetwork(setting.network, self._domains)
        self._actions = ClusterActions(setting.deployments, self._pods_of)

    def join(self, context: ActorContext) -> None:
        """Watches pods and nodes."""
        self._clock = context.clock
        self._store = context.store
        setting = self.setting
        self.simulation = Simulation(
            setting.architecture,
            replace(setting.experiment, actions=self._actions.on_calls(setting.experiment.actions)),
            setting.rules,
            self.timeline,
            context.streams.stream("services").getrandbits(64),
            placed=True,
            topology=self.network if setting.network != NetworkSetting() else None,
        )
        self.simulation.events.schedule(setting.interval, self._take_load, priority=AT_ONCE)
        context.store.subscribe(NODE, added=self._node_added, modified=self._node_changed, deleted=self._node_gone)
        context.store.subscribe(POD, added=self._pod_added, modified=self._pod_changed, deleted=self._pod_gone)
        self._actions.schedule(context, setting.experiment.actions, setting.rules)

    def ended(self, time: Nanoseconds) -> None:
        """Simulates the requests up to the end of the run."""
        self.simulation.advance(time)
        self._take(time)
        self.link_loads.end(time)
        for each in self.instances:
            each.share.cpu.advance()
            each.watch.end(time, None)

    def _take_load(self, _: object) -> None:
        events = self.simulation.events
        self._take(events.now)
        self._left = [each for each in self._left if each.instance.handled]
        events.schedule(self.setting.interval, self._take_load, priority=AT_ONCE)

    def _take(self, now: Nanoseconds) -> None:
        self.load.take(now, [*self._running.values(), *self._left])
        if self.simulation.transport is not None:
            self.link_loads.take(now, self.network.links.values(), self.simulation.transport.network)

    def warnings(self) -> list[str]:
        """Names services without an instance, ends of links without a node, and what is overloaded at the end."""
        served = {each.instance.service.name for each in self.instances}
        missing = [(name, owner) for name, owner in self.setting.deployments.items() if name not in served]
        idle = [f"service {name!r} had no running pod of Deployment {owner!r}" for name, owner in missing]
        named = {domain for way in self.setting.network.connections for domain in way}
        key = self.setting.network.topology_key
        unknown = sorted(named - set(self._domains.values()))
        return [
            *self._actions.problems,
            *idle,
            *(f"network: no node has the label {key}: {domain}" for domain in unknown),
            *lasting_overloads(self.overloads),
        ]

    @property
    def overloads(self) -> list[Overloaded]:
        """Returns when pods and links had more work than they could do."""
        return all_overloads(self.instances, self.link_loads)

    def cpu_milli(self, namespace: str, pod: str) -> int | None:
        """Returns the CPU that a pod uses, in thousandths of a core; None if it is no instance of a service."""
        running = self._by_name.get((namespace, pod))
        if running is None or running.ended is not None:
            return None
        self.simulation.advance(self._clock.now)
        return round(1000 * running.mean_cpu(self._clock.now))

    def _pods_of(self, service: str) -> list[tuple[str, str]]:
        """Returns namespace and name of the running pods of a service, the oldest first."""
        return [
            key for key, each in self._by_name.items() if each.ended is None and each.instance.service.name == service
        ]

    # nodes

    def _node_added(self, node: Node) -> None:
        self._domains[node.name] = node.labels.get(self.setting.network.topology_key, node.name)

    def _node_changed(self, old: Node, new: Node) -> None:
        self._node_added(new)
        if old.ready and not new.ready:
            self._lose_node(new.name)

    def _node_gone(self, node: Node) -> None:
        self._lose_node(node.name)
        self._nodes.pop(node.name, None)

    def _lose_node(self, node: str) -> None:
        for uid, each in list(self._running.items()):
            if each.node == node:
                self._kill(uid)

    # pods

    def _pod_added(self, pod: Pod) -> None:
        self._pod_changed(pod, pod)

    def _pod_changed(self, old: Pod, new: Pod) -> None:
        if new.uid in self._running:
            if new.finished:
                self._kill(new.uid)
            elif new.restarts != old.restarts:
                self._kill(new.uid)
                self._start(new)
            elif new.deleted is not None:
                self._drain(new.uid, new.deleted)
        elif new.phase == "Running" and new.deleted is None and not new.finished:
            self._start(new)

    def _pod_gone(self, pod: Pod) -> None:
        if pod.uid in self._running:
            self._drain(pod.uid, pod.deleted if pod.deleted is not None else self._clock.now)

    def _start(self, pod: Pod) -> None:
        service = self._service_of.get(_workload_of(pod))
        if service is None or not pod.node_name:
            return
        self.simulation.advance(self._clock.now)
        share = self._node_cpu(pod.node_name).join(pod.requests.get(CPU, 0) / 1000, _limit(pod))
        watch = OverloadWatch(self.setting.interval)
        instance = self.simulation.services[service].add(pod.name, pod.node_name, self._cpu(service, share, watch))
        instance.start()
        running = PodInstance(pod.name, instance, pod.node_name, self._clock.now, share, watch)
        running.samples.append((self._clock.now, 0.0))
        self._running[pod.uid] = self._by_name[pod.namespace, pod.name] = running
        self.instances.append(running)

    def _cpu(self, service: str, share: PodCpu, watch: OverloadWatch) -> Cpu:
        spec = self.simulation.services[service].spec
        if spec.policy == "ps":
            share.cpu.overloads = watch
            return share.cpu
        queued = QueuedCpu(share.cpu, self.simulation.events, spec.threads, spec.policy, self.setting.rules)
        queued.overloads = watch
        return queued

    def _node_cpu(self, name: str) -> NodeCpu:
        if name not in self._nodes:
            node: Any = self._store.find(NODE, "", name)
            cores = node.allocatable.get(CPU, 0) / 1000 if node is not None else 1.0
            self._nodes[name] = NodeCpu(self.simulation.events, max(cores, 0.001))
        return self._nodes[name]

    def _drain(self, uid: str, deadline: Nanoseconds) -> None:
        running = self._leave(uid)
        running.instance.drain()
        if running.instance.handled:
            wait = max(0, deadline - self._clock.now)
            self.simulation.events.schedule(wait, lambda _: running.instance.kill())

    def _kill(self, uid: str) -> None:
        self._leave(uid).instance.kill()

    def _leave(self, uid: str) -> PodInstance:
        self.simulation.advance(self._clock.now)
        running = self._running.pop(uid)
        running.ended = self._clock.now
        self._left.append(running)
        running.instance.service.instances.remove(running.instance)
        return running


def _workload_of(pod: Pod) -> str:
    """Returns the name of the workload that a pod belongs to: of a ReplicaSet its Deployment's; alone, its own."""
    owners = (pod.manifest.get("metadata") or {}).get("ownerReferences") or ()
    owner = next((each for each in owners if each.get("controller")), None)
    if owner is None:
        return pod.name
    name = str(owner["name"])
    return name.rpartition("-")[0] if owner.get("kind") == "ReplicaSet" else name


def _limit(pod: Pod) -> float | None:
    """Returns the CPU limit of a pod in cores; None if a container has none."""
    cores = 0.0
    for container in pod.spec.manifest.get("containers") or ():
        limit = ((container.get("resources") or {}).get("limits") or {}).get("cpu")
        if limit is None:
            return None
        cores += milli(limit) / 1000
    return cores
