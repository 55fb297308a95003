from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.rules.readiness import whole_second
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import Order
from wavetank.controllers.clusterautoscaler.packing import HintingSimulator
from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.controllers.clusterautoscaler.scaledown.deletions import Deletions
from wavetank.controllers.clusterautoscaler.templates import NodeTemplate, TemplateCatalog
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot
from wavetank.controllers.framework.pods import is_daemon_set_pod, is_recreatable
from wavetank.kernel.durations import SECOND, Nanoseconds

GPU = "nvidia.com/gpu"
_NEW: Nanoseconds = 2 * SECOND
_NEW_WITH_GPU: Nanoseconds = 30 * SECOND


class PendingPods:
    """Finds the pending pods that need new nodes: packs all of them onto present and upcoming nodes first."""

    def __init__(
        self,
        snapshot: ClusterSnapshot,
        templates: TemplateCatalog,
        deletions: Deletions,
        options: Options,
        order: Order,
    ) -> None:
        self._snapshot = snapshot
        self._templates = templates
        self._deletions = deletions
        self._options = options
        self._order = order
        self._upcoming: dict[str, str] = {}  # by node name, as it is reported
        self._simulator = HintingSimulator(snapshot, order.packed_on, lambda node: node not in self._upcoming)

    def add_upcoming(
        self, upcoming: Mapping[str, int], templates: Mapping[str, NodeTemplate], not_started: Iterable[str]
    ) -> None:
        """Puts upcoming nodes into the snapshot, in place of those that are registered but not ready."""
        self._upcoming = {}
        for group, count in upcoming.items():
            for number in range(count if group in templates else 0):
                new = self._templates.fresh(group, templates[group], f"upcoming-{number}")
                self._snapshot.add_node(new.node, new.pods)
                self._upcoming[new.node.name] = f"upcoming:{group.rpartition('/')[2]}/{number}"
        for name in not_started:
            self._snapshot.remove_node(name)

    def to_help(self, waiting: Sequence[Pod], report: LoopReport) -> list[Pod]:
        """Returns the pods that fit no node and are old enough."""
        cutoff = self._options.expendable_pods_priority_cutoff
        pods = [pod for pod in waiting if pod.priority >= cutoff]
        preempting = [pod for pod in pods if self._snapshot.node(pod.nominated_node) is not None]
        for pod in preempting:
            self._snapshot.add_pod(pod, pod.nominated_node)
        pods = [pod for pod in pods if pod not in preempting]
        total = report.scheduled + report.unschedulable
        pods = [*self._order.pods(pods, total), *self._order.pods(self._drained_pods(), total)]
        placed = self._simulator.place(sorted(pods, key=lambda pod: -pod.priority))
        self._simulator.drop_old_hints()
        names = {pod.uid: pod.name for pod in pods}
        report.packing = {names[uid]: self._upcoming.get(node, node) for uid, node in placed.items()}
        rest = [pod for pod in pods if pod.uid not in placed and not is_daemon_set_pod(pod)]
        old = [pod for pod in rest if self._is_old(pod, report.time)]
        report.too_young = len(rest) - len(old)
        return old

    def _drained_pods(self) -> list[Pod]:
        """Returns the pods on nodes that are being drained: they will need another node."""
        return [
            pod
            for node in self._deletions.drained
            for pod in self._snapshot.pods_on(node)
            if pod.deleted is None and is_recreatable(pod)
        ]

    def _is_old(self, pod: Pod, now: Nanoseconds) -> bool:
        # Real loops are always late by a little, so an age of exactly the delay is enough.
        return now - whole_second(pod.created) >= self._options.new_pod_scale_up_delay

    def are_new(self, pods: Sequence[Pod], now: Nanoseconds) -> bool:
        """Returns whether even the oldest pod is so new that more of them may follow."""
        with_gpus = [whole_second(pod.created) for pod in pods if pod.requests.get(GPU)]
        oldest = min(whole_second(pod.created) for pod in pods)
        return oldest + _NEW > now or (bool(with_gpus) and min(with_gpus) + _NEW_WITH_GPU > now)
