from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import NodeAffinity as Affinity
from wavetank.cluster.objects.podspec import PodSpec, parse_node_affinity
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import (
    PROCEED,
    SKIP,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Reason,
)
from wavetank.scheduling.framework.static import StaticFilter, StaticScore, scale_to_100


class NodeAffinity(PreFilterPlugin, StaticFilter, PreScorePlugin, StaticScore):
    """Keeps a pod to the nodes of its nodeSelector and required affinity, and prefers those of its preferred terms.

    `addedAffinity` of the profile comes on top of what each pod says.
    """

    name = "NodeAffinity"
    OTHER_NODES = Reason("node(s) didn't match Pod's node affinity/selector", resolvable=False)
    ENFORCED = Reason("node(s) didn't match scheduler-enforced node affinity", resolvable=False)
    CONFLICT = Reason("pod affinity terms conflict", resolvable=False)
    REASONS = (OTHER_NODES, ENFORCED)

    def __init__(self, added_affinity: Mapping[str, Any] | None = None) -> None:
        StaticFilter.__init__(self)
        StaticScore.__init__(self)
        self._added = parse_node_affinity({}, added_affinity or {})

    def skips_family(self, spec: PodSpec) -> bool:
        """Skips pods without node affinity, unless the profile adds one."""
        asked, added = spec.node_affinity, self._added
        return asked.allows_all and added.allows_all and not asked.preferred and not added.preferred

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Narrows the search to the nodes that the pod names, if it does."""
        affinity = cycle.pod.spec.node_affinity
        if affinity.allows_all and self._added.allows_all:
            return SKIP
        names = affinity.required.names if affinity.required else None
        if names is None:
            return PROCEED
        return PreFilterResult(node_names=names) if names else PreFilterResult(rejected=self.CONFLICT)

    def facet(self, spec: PodSpec) -> Affinity:
        """Reads the node selector and affinity."""
        return spec.node_affinity

    score_facet = facet

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects nodes; if the pod names its nodes, they are few and not cached."""
        affinity = cycle.pod.spec.node_affinity
        if affinity.required is not None and affinity.required.names is not None:
            return self.evaluate(affinity, nodes, cycle.table)
        return super().filter(cycle, nodes)

    def codes(self, spec: PodSpec, table: NodeTable) -> IntArray | None:
        """Returns the codes of all slots, unless the pod names its nodes."""
        required = spec.node_affinity.required
        return super().codes(spec, table) if required is None or required.names is None else None

    def check(self, facet: Affinity, node: Node) -> Reason | None:
        """Rejects a node outside the profile's or the pod's affinity."""
        if not self._added.matches(node.labels, node.name):
            return self.ENFORCED
        return None if facet.matches(node.labels, node.name) else self.OTHER_NODES

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Skips pods without preferred terms."""
        return bool(cycle.pod.spec.node_affinity.preferred or self._added.preferred)

    def rate(self, facet: Affinity, node: Node) -> int:
        """Adds up the weights of the preferred terms that match."""
        return self._added.preference(node.labels, node.name) + facet.preference(node.labels, node.name)

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Gives 100 to the node with the highest sum."""
        return scale_to_100(scores)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """A node that matches now and did not before."""
        return {ClusterEvent.NODE_ADD: self._matches_now, ClusterEvent.NODE_LABEL: self._matches_now}

    def _matches_now(self, waiting: Pod, old: Node | None, new: Node) -> bool:
        affinity = waiting.spec.node_affinity
        if self.check(affinity, new) is not None:
            return False
        return old is None or not affinity.matches(old.labels, old.name)
