"""Node groups of a run: machines that boot after a drawn time, and the autoscaler that asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.clusterapi import API_VERSION, CAPACITY, MAX_SIZE, MIN_SIZE, PRICE
from wavetank.cluster.objects.groupkinds import NODE, POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.kinds import PodDisruptionBudget, parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.autoscaler import ClusterAutoscaler
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import RandomOrder
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.machines.definitions import definitions
from wavetank.controllers.machines.machines import Machines
from wavetank.controllers.machines.machinesets import MachineDeployments, MachineSets
from wavetank.controllers.machines.provider import Boot
from wavetank.kernel.distributions import Constant, Distribution, drawing
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.clustersnapshot import SchedulerSnapshot

_AT_ONCE = Constant(0)
_PLATFORM = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}


@dataclass(frozen=True)
class ScalableGroup:
    """A group of equal nodes that an autoscaler may change.

    `boot` is the time from a machine's creation to its ready node, `halt` that from its deletion until the node is
    gone; `failing` is the share of machines that never become nodes.
    """

    name: str
    least: int
    most: int
    initial: int
    capacity: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()
    boot: Distribution = _AT_ONCE
    halt: Distribution = _AT_ONCE
    failing: float = 0.0
    price: float | None = None  # per node and hour

    def manifest(self) -> dict[str, Any]:
        """Returns its MachineDeployment."""
        announced = {"cpu": self.capacity["cpu"], "memory": self.capacity["memory"]}
        if "pods" in self.capacity:
            announced["maxPods"] = self.capacity["pods"]
        if self.labels:
            announced["labels"] = ",".join(f"{key}={value}" for key, value in self.labels.items())
        if self.taints:
            announced["taints"] = ",".join(f"{t['key']}={t.get('value', '')}:{t['effect']}" for t in self.taints)
        annotations = {MIN_SIZE: str(self.least), MAX_SIZE: str(self.most)}
        annotations |= {CAPACITY + key: value for key, value in announced.items()}
        if self.price is not None:
            annotations[PRICE] = str(self.price)
        return {
            "apiVersion": API_VERSION,
            "kind": "MachineDeployment",
            "metadata": {"name": self.name, "namespace": "default", "annotations": annotations},
            "spec": {"replicas": self.initial, "template": {"metadata": {"labels": {"group": self.name}}}},
        }


class DrawnMachines:
    """Draws for each machine when it becomes a node, if ever; those of the start are nodes at once."""

    def __init__(self, context: ActorContext, groups: Sequence[ScalableGroup]) -> None:
        self._clock = context.clock
        self._store = context.store
        self._start = context.clock.now
        self._groups = {group.name: group for group in groups}
        self._fails = {name: context.streams.stream(f"nodegroups/{name}/failures") for name in self._groups}
        self._boot = {
            group.name: drawing(group.boot, context.streams.stream(f"nodegroups/{group.name}/boot")) for group in groups
        }
        self._halt = {
            group.name: drawing(group.halt, context.streams.stream(f"nodegroups/{group.name}/halt")) for group in groups
        }

    def boot(self, machine: Resource, serial: int) -> Boot | None:
        """Returns when a machine becomes a node."""
        group = self._group(machine)
        if self._clock.now == self._start and serial <= group.initial:
            return Boot(0)
        delay = self._boot[group.name]()
        return None if self._fails[group.name].random() < group.failing else Boot(delay)

    def halt(self, machine: Resource) -> Nanoseconds:
        """Returns when the node of a machine is gone; a machine without a node goes at once."""
        return self._halt[self._group(machine).name]() if self._store.find(NODE, "", machine.name) is not None else 0

    def node(self, machine: Resource) -> Mapping[str, Any]:
        """Returns the node of a machine."""
        group = self._group(machine)
        amounts = {"pods": "110", **group.capacity}
        return {
            "metadata": {"labels": {**_PLATFORM, "kubernetes.io/hostname": machine.name, **group.labels}},
            "spec": {"taints": [dict(taint) for taint in group.taints]} if group.taints else {},
            "status": {"capacity": amounts, "allocatable": amounts},
        }

    def _group(self, machine: Resource) -> ScalableGroup:
        return self._groups[machine.name.rpartition("-")[0]]


class BudgetedEvictions:
    """Evicts pods as far as the status of their disruption budgets allows it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def evict(self, pod: Pod, grace_s: int) -> None:
        """Evicts a pod; ApiError if a budget does not allow it."""
        for budget in self._store.list(POD_DISRUPTION_BUDGET):
            assert isinstance(budget, PodDisruptionBudget)
            covers = budget.namespace == pod.namespace and budget.selector.matches(pod.labels)
            if covers and budget.disruptions_allowed < 1:
                raise ApiError("Cannot evict pod as it would violate the pod's disruption budget.")
        self._store.evict(pod, "", grace_s)


def start_node_groups(context: ActorContext, controllers: ControllerContext, groups: Sequence[ScalableGroup]) -> None:
    """Creates node groups and starts the controllers of their machines; the first nodes are there at once."""
    for manifest in (*definitions(), *(group.manifest() for group in groups)):
        context.store.create(parse_resource(manifest, context.store.specs))
    MachineDeployments(controllers)
    MachineSets(controllers)
    Machines(controllers, DrawnMachines(context, groups))


def start_autoscaler(context: ActorContext, controllers: ControllerContext) -> None:
    """Starts the cluster autoscaler; its flags are those of the controllers' context."""
    cutoff = Options.from_flags(controllers.flags).expendable_pods_priority_cutoff
    streams = context.streams
    snapshot = SchedulerSnapshot(context, cutoff, streams.stream("autoscaler/snapshot"))
    order = RandomOrder(streams.stream("autoscaler/order"))
    ClusterAutoscaler(controllers, snapshot, BudgetedEvictions(context.store), order)
