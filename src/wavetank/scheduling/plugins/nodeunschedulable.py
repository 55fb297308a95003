from __future__ import annotations

from collections.abc import Mapping

from wavetank.cluster.fields.taints import Taint, Tolerations
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.plugin import Reason
from wavetank.scheduling.framework.static import StaticFilter

_CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


class NodeUnschedulable(StaticFilter):
    """Keeps pods off cordoned nodes, unless they tolerate the taint for unschedulable nodes."""

    name = "NodeUnschedulable"
    UNSCHEDULABLE = Reason("node(s) were unschedulable", resolvable=False)
    REASONS = (UNSCHEDULABLE,)

    def facet(self, spec: PodSpec) -> Tolerations:
        """Reads the tolerations."""
        return spec.tolerations

    def check(self, facet: Tolerations, node: Node) -> Reason | None:
        """Rejects a cordoned node."""
        return self.UNSCHEDULABLE if node.unschedulable and not facet.accept(_CORDON) else None

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """A node that takes pods (again), or the pod's own toleration."""
        return {
            ClusterEvent.NODE_ADD: _takes_pods_now,
            ClusterEvent.NODE_TAINT: _takes_pods_now,
            ClusterEvent.POD_TOLERATION: lambda pod, old, new: new.spec.tolerations.accept(_CORDON),
        }


def _takes_pods_now(waiting: Pod, old: Node | None, new: Node) -> bool:
    return not new.unschedulable and (old is None or old.unschedulable)
