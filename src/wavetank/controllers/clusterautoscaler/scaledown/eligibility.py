"""How much of a node is requested, and whether it may be removed for that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroups
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import ScaleDownReport
from wavetank.controllers.clusterautoscaler.scaledown.drainability import is_long_terminating
from wavetank.controllers.clusterautoscaler.taints import TO_BE_DELETED, has_taint
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot
from wavetank.controllers.framework.pods import is_daemon_set_pod
from wavetank.kernel.durations import Nanoseconds

SCALE_DOWN_DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"


class Utilization(NamedTuple):
    """The requested shares of a node's allocatable CPU and memory."""

    cpu: float
    memory: float

    @property
    def resource(self) -> str:
        """Returns the resource of which more is requested."""
        return CPU if self.cpu > self.memory else MEMORY

    @property
    def share(self) -> float:
        """Returns the larger share."""
        return max(self.cpu, self.memory)


def utilization(node: Node, pods: Iterable[Pod], ignore_daemon_sets: bool, now: Nanoseconds) -> Utilization:
    """Returns how much of a node is requested.

    With `ignore_daemon_sets` their pods count neither as requested nor as allocatable.
    """
    counted = [pod for pod in pods if not is_long_terminating(pod, now)]
    daemons = [pod for pod in counted if is_daemon_set_pod(pod)] if ignore_daemon_sets else []
    shares = []
    for resource in (CPU, MEMORY):
        ignored = sum(pod.requests.get(resource, 0) for pod in daemons)
        requested = sum(pod.requests.get(resource, 0) for pod in counted) - ignored
        allocatable = node.allocatable.get(resource, 0) - ignored
        shares.append(requested / allocatable if allocatable > 0 else 0.0)
    return Utilization(*shares)


class EligibilityChecker:
    """Tells which candidates are little used and may be looked at."""

    def __init__(self, snapshot: ClusterSnapshot, groups: NodeGroups, options: Options) -> None:
        self._snapshot = snapshot
        self._groups = groups
        self._options = options

    def is_eligible(self, node: Node, now: Nanoseconds, report: ScaleDownReport) -> bool:
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
        group = self._groups.of_node(node)
        assert group is not None  # candidates belong to a group
        options = group.options
        used = utilization(node, self._snapshot.pods_on(node.name), options.ignore_daemonsets_utilization, now)
        under = used.share <= options.scale_down_utilization_threshold
        (report.below if under else report.above)[node.name] = (used.resource, used.share)
        return under
