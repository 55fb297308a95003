"""Whether a node is so little used that it may be removed."""

from __future__ import annotations

from wavetank.cluster.objects.node import Node
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import ScaleDownReport
from wavetank.controllers.clusterautoscaler.scaledown.occupancy import Occupancy
from wavetank.controllers.clusterautoscaler.taints import TO_BE_DELETED, has_taint

SCALE_DOWN_DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"


class EligibilityChecker:
    """Tells which candidates are little used and may be looked at."""

    def __init__(self, occupancy: Occupancy, options: Options) -> None:
        self._occupancy = occupancy
        self._options = options

    def is_eligible(self, node: Node, report: ScaleDownReport) -> bool:
        """Returns whether a node may be removed, as far as its own state tells; why not goes into the report."""
        if has_taint(node, TO_BE_DELETED):
            report.not_considered[node.name] = "the node is currently being deleted"
            return False
        if node.annotations.get(SCALE_DOWN_DISABLED) == "true":
            report.not_considered[node.name] = "the node is marked as no scale down"
            return False
        if not self._options.scale_down_unready_enabled and not node.ready:
            report.not_considered[node.name] = "scale-down of unready nodes is disabled"
            return False
        used = self._occupancy.used[node.name]
        under = node.name in self._occupancy.below
        (report.below if under else report.above)[node.name] = (used.resource, used.share)
        return under
