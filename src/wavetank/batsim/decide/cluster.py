"""A simulated cluster whose nodes are the machines of a Batsim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from wavetank.batsim.decide.jobs import PodJob
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import FAILED, SUCCEEDED, Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.releases import Version
from wavetank.cluster.store.store import Store
from wavetank.documents import reading as fields
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.faults import cordoned, uncordoned
from wavetank.scheduling.attachable import SchedulerOptions, TieBreaking
from wavetank.simulation.creation.admission import Admission
from wavetank.simulation.entries import SchedulerEntry
from wavetank.simulation.latency.model import Latency
from wavetank.simulation.world import API_HISTORY, World
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.batsim.hosts import Host
from wavetank.workloads.formats.batsim.platform import BATSIM_ID, node_of
from wavetank.workloads.manifests.nodes import MOST_PODS


@dataclass(frozen=True)
class DecisionSetting:
    """Who decides: a scheduler with its release, seed, ties and latency."""

    entry: SchedulerEntry
    version: Version
    latency: Latency
    seed: int = 1
    ties: TieBreaking = "random"


class MachineCluster:
    """Nodes without kubelets: what pods do is told by Batsim. Calls back when pods of a job are bound or deleted."""

    def __init__(
        self,
        setting: DecisionSetting,
        machines: Sequence[Mapping[str, Any]],
        sharing: bool,
        stack: ExitStack,
        on_bound: Callable[[Pod], None],
        on_deleted: Callable[[Pod], None],
    ) -> None:
        processes = setting.entry.processes
        self.world = World(setting.version, setting.seed, Store(Clock(), API_HISTORY if processes else 0))
        self.clock, self._store = self.world.clock, self.world.store
        nodes = [_node(machine, i, sharing) for i, machine in enumerate(machines)]
        self.numbers = {node["metadata"]["name"]: int(node["metadata"]["annotations"][BATSIM_ID]) for node in nodes}
        self._on_bound = on_bound
        self._store.subscribe(POD, modified=self._pod_modified, deleted=on_deleted)
        self._completer = None
        if processes:
            from wavetank.simulation.programs import Loop  # few need it

            loop = Loop(self.world.context, processes, takes_all=True)
            stack.callback(loop.close)
            loop.begin(setting.latency.scheduler)
            self._completer = loop.completer
            loop.load(Cluster(nodes))
        else:
            self.world.create(nodes)
        self._admission = Admission(self._store, self._completer)
        options = SchedulerOptions(setting.ties, setting.latency.scheduler, takes_all=True)
        self.world.attach(setting.entry.schedulers, options)

    @property
    def specs(self) -> SpecTable:
        """Returns the table of pod specs."""
        return self._store.specs

    def submit(self, job: PodJob) -> None:
        """Creates the pods of a job."""
        for pod in job.pods:
            self._admission.complete(pod)
            self._store.create(pod)

    def end(self, job: PodJob, success: bool) -> None:
        """Ends the pods of a job, which then leave the cluster."""
        for pod in job.pods:
            found = self._store.find(POD, pod.namespace, pod.name)
            if isinstance(found, Pod):
                new = found.copy()
                new.phase = SUCCEEDED if success else FAILED
                self._store.update(new)
                self._store.discard(new)

    def cordon(self, machines: Sequence[int], unschedulable: bool) -> None:
        """Makes nodes take no more pods, or take them again."""
        wanted = set(machines)
        for node in [node for node in self._store.list(NODE) if self.numbers.get(node.name) in wanted]:
            assert isinstance(node, Node)
            if node.unschedulable != unschedulable:
                self._store.update(cordoned(node) if unschedulable else uncordoned(node))

    def run(self, until: Nanoseconds) -> None:
        """Runs everything until an instant, inclusive."""
        self.clock.run(until)

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            self._on_bound(new)


def _node(machine: Mapping[str, Any], place: int, sharing: bool) -> dict[str, Any]:
    """Makes a node of a resource of the protocol: its properties `core` and `memory`, else one core.

    A machine that may not be shared holds one pod.
    """
    path = f"compute_resources[{place}]"
    number, name = fields.integer(machine.get("id"), f"{path}.id"), fields.text(machine.get("name"), f"{path}.name")
    properties = {str(key): str(value) for key, value in (machine.get("properties") or {}).items()}
    host = Host(name, "1Gf", "1", properties, {})
    return dict(node_of(host, number, MOST_PODS if sharing else 1))
