"""Failures of nodes and zones that a cluster has to survive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Manifest
from wavetank.nodes.faults import is_daemon
from wavetank.planning.simulatedcluster import unbound
from wavetank.simulation.world import World
from wavetank.words import plural
from wavetank.workloads.manifests.nodes import ZONE, zone_of


@dataclass(frozen=True)
class Failure:
    """The loss of the fullest nodes, or of a zone."""

    nodes: int = 0
    zone: str = ""

    @property
    def text(self) -> str:
        """Says what has failed."""
        if self.zone:
            return f"the failure of zone {self.zone}"
        return f"the failure of {'the fullest node' if self.nodes == 1 else f'the {self.nodes} fullest nodes'}"

    def happen(self, world: World) -> None:
        """Takes the nodes away; their pods are created again and scheduled elsewhere."""
        store = world.store
        lost = {node.name for node in self._chosen(world)}
        pods: list[Pod] = [pod for pod in store.list(POD) if pod.node_name in lost]
        for pod in pods:
            store.delete(pod)
        for name in lost:
            store.delete(store.get(NODE, "", name))
        for pod in pods:
            if not is_daemon(pod):
                store.create(unbound(pod))
        world.run()

    def _chosen(self, world: World) -> list[Node]:
        nodes: list[Node] = list(world.store.list(NODE))
        if self.zone:
            return [node for node in nodes if zone_of(node) == self.zone]
        held: dict[str, float] = {node.name: 0.0 for node in nodes}
        has = {node.name: node.allocatable for node in nodes}
        for pod in world.store.list(POD):
            if pod.node_name in held:
                shares = [
                    pod.spec.requests.get(name, 0) / (has[pod.node_name].get(name) or 1) for name in (CPU, MEMORY)
                ]
                held[pod.node_name] += max(shares)
        return sorted(nodes, key=lambda node: (-held[node.name], node.name))[: self.nodes]


@dataclass(frozen=True)
class Headroom:
    """What must be survived: the loss of so many nodes, and of each zone if `zone` is set."""

    nodes: int = 0
    zone: bool = False

    @property
    def text(self) -> str:
        """Says what must be survived, "" for nothing."""
        parts = [f"{self.nodes} {plural(self.nodes, 'node')}"] if self.nodes else []
        return " or ".join([*parts, "any zone"] if self.zone else parts)

    def failures(self, nodes: Sequence[Manifest]) -> Iterator[Failure | None]:
        """Yields what is tried, each on a new placement; None is the placement alone."""
        if not self.nodes and not self.zone:
            yield None
        if self.nodes:
            yield Failure(nodes=self.nodes)
        if self.zone:
            labels = ((node.get("metadata") or {}).get("labels") or {} for node in nodes)
            yield from (Failure(zone=zone) for zone in sorted({each[ZONE] for each in labels if ZONE in each}))


NO_HEADROOM = Headroom()
