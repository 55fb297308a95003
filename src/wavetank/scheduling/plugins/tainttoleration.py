from __future__ import annotations

from collections.abc import Mapping

from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import NumberArray
from wavetank.scheduling.framework.plugin import Reason
from wavetank.scheduling.framework.static import StaticFilter, StaticScore, scale_to_100_reversed


class TaintToleration(StaticFilter, StaticScore):
    """Keeps pods off nodes with taints they do not tolerate, and prefers nodes with fewer soft ones."""

    name = "TaintToleration"
    UNTOLERATED = Reason("node(s) had untolerated taint(s)", resolvable=False)
    REASONS = (UNTOLERATED,)

    def __init__(self) -> None:
        StaticFilter.__init__(self)
        StaticScore.__init__(self)

    def facet(self, spec: PodSpec) -> Tolerations:
        """Reads the tolerations."""
        return spec.tolerations

    score_facet = facet

    def check(self, facet: Tolerations, node: Node) -> Reason | None:
        """Rejects a node with a hard taint that is not tolerated."""
        if not node.taints:
            return None
        hard = (taint for taint in node.taints if taint.effect in ("NoSchedule", "NoExecute"))
        return None if all(facet.accept(taint) for taint in hard) else self.UNTOLERATED

    def rate(self, facet: Tolerations, node: Node) -> int:
        """Counts the soft taints that are not tolerated."""
        if not node.taints:
            return 0
        soft = (taint for taint in node.taints if taint.effect == "PreferNoSchedule")
        return sum(not facet.accept(taint) for taint in soft)

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Gives 100 to a node without such taints."""
        return scale_to_100_reversed(scores)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """A node that has become tolerable, or the pod's own toleration."""
        return {
            ClusterEvent.NODE_ADD: self._is_tolerable_now,
            ClusterEvent.NODE_TAINT: self._is_tolerable_now,
            ClusterEvent.POD_TOLERATION: always,
        }

    def _is_tolerable_now(self, waiting: Pod, old: Node | None, new: Node) -> bool:
        tolerations = waiting.spec.tolerations
        was_tolerable = old is not None and self.check(tolerations, old) is None
        return not was_tolerable and self.check(tolerations, new) is None
