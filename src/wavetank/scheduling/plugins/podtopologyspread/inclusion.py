from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.fields.topologyspread import SpreadConstraint
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import NodeAffinity, PodSpec
from wavetank.scheduling.framework.boundedcache import MAX_FAMILIES, BoundedCache
from wavetank.scheduling.framework.nodes.arrays import BoolArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.nodes.topology import DomainSubset, Topology
from wavetank.scheduling.framework.static import FacetCache


@dataclass(frozen=True, slots=True)
class InclusionPolicy:
    """Which nodes a constraint counts: by the labels that they need, the affinity and the tolerations of the pod.

    `is_large` tells whether that pod is very large.
    """

    topology_key: str
    keys: frozenset[str]
    affinity: NodeAffinity | None
    tolerations: Tolerations | None
    is_large: bool = field(compare=False)

    @classmethod
    def of(cls, constraint: SpreadConstraint, keys: Iterable[str], spec: PodSpec) -> InclusionPolicy:
        """Returns the policy of a pod's constraint; nodes must have all of the label keys."""
        honors_affinity = constraint.honors_affinity and not spec.node_affinity.allows_all
        return cls(
            topology_key=constraint.topology_key,
            keys=frozenset(keys),
            affinity=spec.node_affinity if honors_affinity else None,
            tolerations=spec.tolerations if constraint.honors_taints else None,
            is_large=spec.is_large,
        )


class IncludedDomains(DomainSubset):
    """The nodes that a policy includes, as of `changes` of nodes."""

    def __init__(self, topology: Topology, policy: InclusionPolicy) -> None:
        super().__init__(topology)
        self.policy = policy
        self.changes = -1


class IncludedNodes:
    """The nodes whose pods spread constraints count (node inclusion policies), cached until nodes change."""

    def __init__(self) -> None:
        self._affinity = FacetCache(lambda affinity, node: affinity.matches(node.labels, node.name))
        self._taints = FacetCache(_tolerates)
        self._parts: BoundedCache[InclusionPolicy, IncludedDomains] = BoundedCache(MAX_FAMILIES)

    def find_all(self, policies: Sequence[InclusionPolicy], table: NodeTable) -> list[IncludedDomains]:
        """Returns the nodes of each policy; bring them up to date with `catch_up` before use."""
        return [self._find(policy, table) for policy in policies]

    def _find(self, policy: InclusionPolicy, table: NodeTable) -> IncludedDomains:
        part = self._parts.get(policy)
        if part is None:
            part = IncludedDomains(table.topologies.of(policy.topology_key), policy)
            self._parts.keep(policy, part, policy.is_large)
        return part

    def catch_up(self, part: IncludedDomains, table: NodeTable) -> None:
        """Applies the changes of nodes."""
        if part.changes == table.topologies.changes:
            return
        part.changes = table.topologies.changes
        part.keep(self._among(table.topologies.having(part.policy.keys), part.policy, table))

    def find_many(self, policies: Sequence[InclusionPolicy], table: NodeTable) -> list[IncludedDomains]:
        """Returns the nodes of very many policies of one pod, up to date; nothing of them is kept."""
        topologies = table.topologies.present({policy.topology_key for policy in policies})
        labelled = table.topologies.with_all(policies[0].keys)
        inside: dict[tuple[bool, bool], BoolArray] = {}  # there are four at most
        found = []
        for policy in policies:
            part = IncludedDomains(topologies[policy.topology_key], policy)
            sort = policy.affinity is None, policy.tolerations is None
            if sort not in inside:
                inside[sort] = self._among(labelled.copy(), policy, table)
            part.keep(inside[sort])
            found.append(part)
        return found

    def _among(self, inside: BoolArray, policy: InclusionPolicy, table: NodeTable) -> BoolArray:
        """Leaves only those nodes that a pod's affinity and tolerations include."""
        if policy.affinity is not None:
            inside &= self._affinity.answers(policy.affinity, table, policy.is_large)[: len(inside)] > 0
        if policy.tolerations is not None:
            inside &= self._taints.answers(policy.tolerations, table, policy.is_large)[: len(inside)] > 0
        return inside


def _tolerates(tolerations: Tolerations, node: Node) -> bool:
    hard = (taint for taint in node.taints if taint.effect in ("NoSchedule", "NoExecute"))
    return all(tolerations.accept(taint) for taint in hard)
