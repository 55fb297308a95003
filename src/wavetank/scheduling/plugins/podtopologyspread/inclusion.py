from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.fields.topologyspread import SpreadConstraint
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import NodeAffinity, PodSpec
from wavetank.scheduling.framework.boundedcache import MAX_FAMILIES, BoundedCache
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.nodes.topology import DomainSubset, Topology
from wavetank.scheduling.framework.static import FacetCache


@dataclass(frozen=True, slots=True)
class InclusionPolicy:
    """What decides which nodes a constraint counts: labels that they need, and what of the pod they must suit."""

    topology_key: str
    keys: frozenset[str]
    affinity: NodeAffinity | None
    tolerations: Tolerations | None

    @classmethod
    def of(cls, constraint: SpreadConstraint, keys: Iterable[str], spec: PodSpec) -> InclusionPolicy:
        """Returns what decides for a pod's constraint, where all of the label keys are needed."""
        honors_affinity = constraint.honors_affinity and not spec.node_affinity.allows_all
        return cls(
            topology_key=constraint.topology_key,
            keys=frozenset(keys),
            affinity=spec.node_affinity if honors_affinity else None,
            tolerations=spec.tolerations if constraint.honors_taints else None,
        )


class IncludedDomains(DomainSubset):
    """The nodes that a choice comes to, as of so many changes of nodes."""

    def __init__(self, topology: Topology, choice: InclusionPolicy) -> None:
        super().__init__(topology)
        self.choice = choice
        self.changes = -1


class IncludedNodes:
    """The nodes whose pods spread constraints count: looked for again only when nodes have changed."""

    def __init__(self) -> None:
        self._affinity = FacetCache(lambda affinity, node: affinity.matches(node.labels, node.name))
        self._taints = FacetCache(_tolerates)
        self._parts: BoundedCache[InclusionPolicy, IncludedDomains] = BoundedCache(MAX_FAMILIES)

    def find(self, choice: InclusionPolicy, table: NodeTable) -> IncludedDomains:
        """Returns the nodes of a choice, which are to be brought up to date before use."""
        part = self._parts.get(choice)
        if part is None:
            part = self._parts.keep(choice, IncludedDomains(table.topologies.of(choice.topology_key), choice))
        return part

    def catch_up(self, part: IncludedDomains, table: NodeTable) -> None:
        """Takes in what has become of the nodes."""
        if part.changes == table.topologies.changes:
            return
        part.changes = table.topologies.changes
        choice = part.choice
        inside = table.topologies.having(choice.keys)
        if choice.affinity is not None:
            inside &= self._affinity.answers(choice.affinity, table)[: len(inside)] > 0
        if choice.tolerations is not None:
            inside &= self._taints.answers(choice.tolerations, table)[: len(inside)] > 0
        part.keep(inside)


def _tolerates(tolerations: Tolerations, node: Node) -> bool:
    hard = (taint for taint in node.taints if taint.effect in ("NoSchedule", "NoExecute"))
    return all(tolerations.accept(taint) for taint in hard)
