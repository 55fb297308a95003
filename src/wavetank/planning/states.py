"""What nodes hold at one moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS
from wavetank.cluster.objects.node import Node
from wavetank.planning.simulatedcluster import SimulatedCluster
from wavetank.results.recording.machines import price_of
from wavetank.workloads.manifests.nodes import zone_of


@dataclass(slots=True)
class NodeState:
    """A node with what its pods request: milli-CPU, bytes and counts; `price` is per hour."""

    name: str
    zone: str
    cpu: int
    memory: int
    most_pods: int
    schedulable: bool
    ready: bool
    price: float | None
    cpu_requested: int = 0
    memory_requested: int = 0
    pods: int = 0

    @property
    def cpu_share(self) -> float:
        """Returns the requested share of the CPU."""
        return self.cpu_requested / self.cpu if self.cpu else 0.0

    @property
    def memory_share(self) -> float:
        """Returns the requested share of the memory."""
        return self.memory_requested / self.memory if self.memory else 0.0


@dataclass(frozen=True)
class ClusterState:
    """All nodes at one moment, and the pods that have no node, as namespace/name with the last reason."""

    nodes: Sequence[NodeState]
    pending: dict[str, str] = field(default_factory=dict)
    placed: int = 0

    @property
    def price(self) -> float | None:
        """Returns what an hour of all nodes costs; None if no price is known."""
        prices = [node.price for node in self.nodes if node.price is not None]
        return sum(prices) if prices else None

    @property
    def used(self) -> int:
        """Returns how many nodes have pods."""
        return sum(node.pods > 0 for node in self.nodes)

    def share(self, resource: str, nodes: Iterable[NodeState] | None = None) -> float:
        """Returns the requested share of cpu or memory of some nodes together, by default of all."""
        some = list(self.nodes if nodes is None else nodes)
        has = sum(getattr(node, resource) for node in some)
        return sum(getattr(node, f"{resource}_requested") for node in some) / has if has else 0.0

    def zones(self) -> dict[str, list[NodeState]]:
        """Returns the nodes by zone, in the order of the zones' names."""
        zones: dict[str, list[NodeState]] = {}
        for node in self.nodes:
            zones.setdefault(node.zone, []).append(node)
        return dict(sorted(zones.items()))


def state_of(cluster: SimulatedCluster) -> ClusterState:
    """Returns what the nodes of a simulated cluster hold now."""
    nodes = {node.name: _state(node) for node in cluster.nodes}
    pending: dict[str, str] = {}
    placed = 0
    for pod in cluster.pods():
        if not pod.node_name:
            gated = "it has scheduling gates" if pod.gates else ""
            pending[f"{pod.namespace}/{pod.name}"] = pod.unschedulable or gated or "not tried yet"
            continue
        placed += 1
        state = nodes.get(pod.node_name)
        if state is not None:
            state.pods += 1
            state.cpu_requested += pod.spec.requests.get(CPU, 0)
            state.memory_requested += pod.spec.requests.get(MEMORY, 0)
    return ClusterState(list(nodes.values()), pending, placed)


def _state(node: Node) -> NodeState:
    has = node.allocatable
    return NodeState(
        name=node.name,
        zone=zone_of(node),
        cpu=has.get(CPU, 0),
        memory=has.get(MEMORY, 0),
        most_pods=has.get(PODS, 0),
        schedulable=not node.unschedulable,
        ready=node.ready,
        price=price_of(node),
    )
