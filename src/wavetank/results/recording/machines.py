from __future__ import annotations

from dataclasses import dataclass, field

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.clusterapi import INTERRUPTED, MACHINE_OF_NODE
from wavetank.cluster.objects.clusterapi import PRICE as GROUP_PRICE
from wavetank.cluster.objects.groupkinds import (
    MACHINE,
    MACHINE_DEPLOYMENT,
    MACHINE_SET,
    NODE,
    NODE_CLAIM,
    NODE_POOL,
    POD,
)
from wavetank.cluster.objects.node import PRICE, Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.observer import Observer

_POOL = "karpenter.sh/nodepool"


@dataclass(slots=True)
class RecordedMachine:
    """A machine from its order to its end, or a node without a machine; times in nanoseconds, None = never.

    `group` is its node group, "" for a node of the cluster. `price` is per hour. `removal` is when its deletion was
    asked for, `notice` when the cloud announced to take it back. `interrupted` are the pods on it at that time, by
    namespace and name, and whether a controller owns them.
    """

    name: str
    group: str
    ordered: Nanoseconds
    node: Nanoseconds | None = None
    ready: Nanoseconds | None = None
    notice: Nanoseconds | None = None
    removal: Nanoseconds | None = None
    gone: Nanoseconds | None = None
    price: float | None = None
    cpu: int = 0
    memory: int = 0
    interrupted: dict[tuple[str, str], bool] = field(default_factory=dict)


class MachineRecorder(Observer):
    """Records when machines (Machines and NodeClaims) are ordered, become nodes, are interrupted and go.

    A node without a machine is recorded from its creation on.
    """

    def __init__(self) -> None:
        self.machines: list[RecordedMachine] = []
        self.groups: dict[str, float | None] = {}  # prices by name; with those that never had a machine
        self._by_name: dict[str, RecordedMachine] = {}  # those that are not gone

    def join(self, context: ActorContext) -> None:
        """Watches machines and nodes."""
        self._store, self._clock = context.store, context.clock
        for kind in (MACHINE, NODE_CLAIM):
            context.store.subscribe(kind, added=self._ordered, modified=self._changed, deleted=self._cancelled)
        for kind in (MACHINE_DEPLOYMENT, MACHINE_SET, NODE_POOL):
            context.store.subscribe(kind, added=self._group_added)
        context.store.subscribe(NODE, added=self._node_added, modified=self._node_modified, deleted=self._node_deleted)

    def _open(self, name: str, group: str) -> RecordedMachine:
        machine = self._by_name[name] = RecordedMachine(name, group, self._clock.now)
        self.machines.append(machine)
        return machine

    def _close(self, name: str) -> None:
        machine = self._by_name.pop(name, None)
        if machine is not None:
            machine.gone = self._clock.now

    def _group_added(self, new: Resource) -> None:
        price = new.annotations.get(GROUP_PRICE)
        self.groups.setdefault(new.name, None if price is None else _number(price, f"{new.name}: {GROUP_PRICE}"))

    # machines

    def _ordered(self, new: Resource) -> None:
        self._open(new.name, _group_of(new))

    def _changed(self, old: Resource, new: Resource) -> None:
        machine = self._by_name.get(new.name)
        if machine is None:
            return
        if INTERRUPTED in new.annotations and machine.notice is None:
            machine.notice = self._clock.now
            machine.interrupted = self._pods_on(new.name)
        if new.deleted is not None and machine.removal is None:
            machine.removal = self._clock.now

    def _cancelled(self, old: Resource) -> None:
        machine = self._by_name.get(old.name)
        if machine is not None and machine.node is None:
            self._close(old.name)

    def _pods_on(self, node: str) -> dict[tuple[str, str], bool]:
        pods = [pod for pod in self._store.list(POD) if isinstance(pod, Pod) and pod.node_name == node]
        owners = {pod.key: _controller(pod) for pod in pods if not pod.finished}
        return {key: bool(owner) for key, owner in owners.items() if owner != "DaemonSet"}

    # nodes

    def _node_added(self, new: Node) -> None:
        name = new.annotations.get(MACHINE_OF_NODE, new.name)
        machine = self._by_name.get(name) or self._open(new.name, "")
        machine.node = self._clock.now
        machine.ready = self._clock.now if new.ready else None
        machine.price = price_of(new)
        machine.cpu, machine.memory = new.allocatable.get(CPU, 0), new.allocatable.get(MEMORY, 0)

    def _node_modified(self, old: Node, new: Node) -> None:
        if new.ready and not old.ready:
            machine = self._by_name.get(new.annotations.get(MACHINE_OF_NODE, new.name))
            if machine is not None and machine.ready is None:
                machine.ready = self._clock.now

    def _node_deleted(self, old: Node) -> None:
        self._close(old.annotations.get(MACHINE_OF_NODE, old.name))


def price_of(node: Node) -> float | None:
    """Returns what an hour of a node costs, or None."""
    text = node.annotations.get(PRICE, node.labels.get(PRICE))
    return None if text is None else _number(text, f"node {node.name}: {PRICE}")


def _number(text: str, path: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"expected a price per hour, got {text!r:.60}", path=path) from None


def _group_of(machine: Resource) -> str:
    """Returns the name of a machine's set, or of a claim's pool, which is that of its group."""
    if _POOL in machine.labels:
        return machine.labels[_POOL]
    owners = (machine.manifest.get("metadata") or {}).get("ownerReferences") or ()
    return next((str(owner["name"]) for owner in owners if owner.get("controller")), machine.name)


def _controller(pod: Pod) -> str:
    """Returns the kind of the controller that owns a pod, "" for none."""
    owners = (pod.manifest.get("metadata") or {}).get("ownerReferences") or ()
    return next((str(owner.get("kind")) for owner in owners if owner.get("controller")), "")
