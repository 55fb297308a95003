from __future__ import annotations

from dataclasses import dataclass, field

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.power import ON, POWER, POWER_STATE, PowerModel, read_power
from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.simulation.observer import Observer


@dataclass(slots=True)
class NodeEnergy:
    """The energy of one node: joules until `since`, and the time in each state in nanoseconds.

    `history` has the joules so far whenever power changed; between two entries they rise linearly.
    """

    name: str
    model: PowerModel
    capacity: int  # milli-CPU
    state: str = ON
    used: int = 0  # milli-CPU of running pods, and what else uses the node
    watts: float = 0.0
    joules: float = 0.0
    since: Nanoseconds = 0
    times: dict[str, Nanoseconds] = field(default_factory=dict)
    switches: int = 0
    history: list[tuple[Nanoseconds, float]] = field(default_factory=list)

    def settle(self, now: Nanoseconds) -> None:
        """Adds up energy and time until now."""
        passed = now - self.since
        self.joules += self.watts * passed / SECOND
        self.times[self.state] = self.times.get(self.state, 0) + passed
        self.since = now
        self.history.append((now, self.joules))


class EnergyRecorder(Observer):
    """Adds up the energy of nodes with a power model.

    A running pod uses the CPU that it requests. A node's utilization is the CPU of its running pods and of its load
    besides pods, as a share of its allocatable CPU.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, NodeEnergy] = {}
        self.changes: list[tuple[Nanoseconds, float, int]] = []  # time, watts more, nodes more that are on
        self.end: Nanoseconds = 0
        self._running: dict[str, tuple[str, int]] = {}  # by uid: node and milli-CPU

    def join(self, context: ActorContext) -> None:
        """Watches nodes and pods."""
        self._clock = context.clock
        context.store.subscribe(
            NODE, added=self._node_added, modified=lambda _, new: self._node_modified(new), deleted=self._node_deleted
        )
        context.store.subscribe(
            POD, added=self._pod_seen, modified=lambda _, new: self._pod_seen(new), deleted=self._pod_gone
        )

    def ended(self, time: Nanoseconds) -> None:
        """Adds up the rest."""
        self.end = time
        for node in self.nodes.values():
            node.settle(time)

    def _node_added(self, node: Node) -> None:
        annotation = node.annotations.get(POWER)
        if annotation is None:
            return
        capacity = node.allocatable.get(CPU, 0)
        model = read_power(annotation, capacity / 1000)
        entry = self.nodes[node.name] = NodeEnergy(node.name, model, capacity, since=self._clock.now)
        entry.history.append((self._clock.now, 0.0))
        entry.state = node.annotations.get(POWER_STATE, ON)
        entry.used = node.load.get(CPU, 0)
        self._change(entry, int(entry.state == ON))

    def _node_modified(self, node: Node) -> None:
        entry = self.nodes.get(node.name)
        if entry is None:
            self._node_added(node)
            return
        state = node.annotations.get(POWER_STATE, ON)
        if state != entry.state:
            entry.settle(self._clock.now)
            entry.switches += 1
            more = (state == ON) - (entry.state == ON)
            entry.state = state
            self._change(entry, more)

    def _node_deleted(self, node: Node) -> None:
        entry = self.nodes.get(node.name)
        if entry is not None:
            entry.settle(self._clock.now)
            self.changes.append((self._clock.now, -entry.watts, -(entry.state == ON)))
            entry.state, entry.watts = "gone", 0.0

    def _pod_seen(self, pod: Pod) -> None:
        if pod.phase == RUNNING:
            if pod.uid not in self._running and pod.node_name in self.nodes:
                cpu = pod.spec.requests.get(CPU, 0)
                self._running[pod.uid] = pod.node_name, cpu
                self._use(pod.node_name, cpu)
        elif pod.uid in self._running:
            self._pod_gone(pod)

    def _pod_gone(self, pod: Pod) -> None:
        node, cpu = self._running.pop(pod.uid, ("", 0))
        if node:
            self._use(node, -cpu)

    def _use(self, name: str, cpu: int) -> None:
        entry = self.nodes[name]
        entry.settle(self._clock.now)
        entry.used += cpu
        if entry.state != "gone":
            self._change(entry)

    def _change(self, entry: NodeEnergy, on: int = 0) -> None:
        watts = entry.model.watts_in(entry.state, entry.used / entry.capacity if entry.capacity else 0.0)
        self.changes.append((self._clock.now, watts - entry.watts, on))
        entry.watts = watts
