"""The Events of the autoscaler, in its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wavetank.cluster.objects.groupkinds import CONFIG_MAP, NODE
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.clusterautoscaler.backoff import BackoffReason
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import Resize
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.durations import Nanoseconds, render_duration

_COMPONENT = "cluster-autoscaler"


class EventWriter:
    """Writes Events about pods, about nodes, and about the status ConfigMap for all that concerns the cluster."""

    def __init__(self, context: ControllerContext, options: Options) -> None:
        self._context = context
        self._namespace = options.namespace
        self._name = options.status_config_map_name

    def _log(self, type_: str, reason: str, message: str) -> None:
        about = self._context.store.find(CONFIG_MAP, self._namespace, self._name)
        if about is not None:
            self._context.record_event(about, type_, reason, message, _COMPONENT)

    def _tell(self, about: Resource | None, type_: str, reason: str, message: str) -> None:
        if about is not None:
            self._context.record_event(about, type_, reason, message, _COMPONENT)

    def _tell_node(self, name: str, type_: str, reason: str, message: str) -> None:
        self._tell(self._context.store.find(NODE, "", name), type_, reason, message)

    # scale-up

    def resizing(self, resize: Resize) -> None:
        """A group is about to grow."""
        message = f"setting group {resize.group} size to {resize.after} instead of {resize.before}"
        self._log("Normal", "ScaledUpGroup", f"Scale-up: {message} (max: {resize.most})")

    def resized(self, resize: Resize) -> None:
        """A group was asked to grow."""
        message = f"group {resize.group} size set to {resize.after} instead of {resize.before}"
        self._log("Normal", "ScaledUpGroup", f"Scale-up: {message} (max: {resize.most})")

    def resize_failed(self, resize: Resize, why: str) -> None:
        """A group could not be asked to grow."""
        self._log("Warning", "FailedToScaleUpGroup", f"Scale-up failed for group {resize.group}: {why}")

    def max_nodes_reached(self, most: int) -> None:
        """The cluster has as many nodes as it may have."""
        self._log("Warning", "MaxNodesTotalReached", f"Max total nodes in cluster reached: {most}")

    def triggered(self, pods: Sequence[Pod], plan: Sequence[Resize]) -> None:
        """Pods made groups grow."""
        parts = " ".join(f"{{{each.group} {each.before}->{each.after} (max: {each.most})}}" for each in plan)
        for pod in pods:
            self._tell(pod, "Normal", "TriggeredScaleUp", f"pod triggered scale-up: [{parts}]")

    def not_triggered(self, pod: Pod, reasons: Sequence[str]) -> None:
        """No group can hold a pod; each reason stands for one group."""
        text = ", ".join(f"{count} {reason}" for reason, count in Counter(reasons).items())
        self._tell(pod, "Normal", "NotTriggerScaleUp", f"pod didn't trigger scale-up: {text}")

    def not_triggered_at_limit(self, pod: Pod) -> None:
        """A pod is not helped because the cluster has as many nodes as it may have."""
        message = "pod didn't trigger scale-up: max total nodes in cluster reached"
        self._tell(pod, "Normal", "NotTriggerScaleUp", message)

    # failures

    def timed_out(self, group: str, duration: Nanoseconds) -> None:
        """Nodes did not register in time."""
        message = f"Nodes added to group {group} failed to register within {render_duration(duration)}"
        self._log("Warning", "ScaleUpTimedOut", message)

    def creation_failed(self, group: str, count: int, reason: BackoffReason) -> None:
        """Machines report that they cannot be created."""
        text = f"Failed adding {count} nodes to group {group} due to {reason}; source errors: {reason.message}"
        self._log("Warning", "ScaleUpFailed", text)

    def unregistered_deleted(self, name: str) -> None:
        """A machine that never became a node was removed."""
        self._log("Normal", "DeleteUnregistered", f"Removed unregistered node {name}")

    def unregistered_kept(self, name: str, why: str) -> None:
        """A machine that never became a node could not be removed."""
        self._log("Warning", "DeleteUnregisteredFailed", f"Failed to remove node {name}: {why}")

    def unhealthy(self) -> None:
        """Too many nodes are unready."""
        self._log("Warning", "ClusterUnhealthy", "Cluster is unhealthy")

    # the priority expander

    def not_prioritized(self, config_map: Resource, group: str) -> None:
        """A group is not in the list of the priority expander."""
        message = f"node group {group} not found in priority expander configuration. The group won't be used."
        self._tell(config_map, "Warning", "PriorityConfigMapNotMatchedGroup", f"Priority expander: {message}")

    def none_prioritized(self, config_map: Resource) -> None:
        """None of the groups that could grow is in the list of the priority expander."""
        message = "no priorities info found for any of the expansion options. No options filtered."
        self._tell(config_map, "Warning", "PriorityConfigMapNoGroupMatched", f"Priority expander: {message}")

    def wrong_priorities(self, config_map: Resource, why: str) -> None:
        """The list of the priority expander cannot be read."""
        self._tell(config_map, "Warning", "PriorityConfigMapInvalid", f"{why}. Ignoring update.")

    # scale-down

    def marked(self, node: str) -> None:
        """A node was tainted and cordoned."""
        self._tell_node(node, "Normal", "ScaleDown", "marked the node as toBeDeleted/unschedulable")

    def removing_empty(self, node: str) -> None:
        """The removal of an empty node begins."""
        self._log("Normal", "ScaleDownEmpty", f'Scale-down: removing empty node "{node}"')

    def removing_drained(self, node: str, utilization: str, pods: Sequence[str]) -> None:
        """The removal of a node with pods begins."""
        message = f"removing node {node}, utilization: {utilization}, pods to reschedule: {','.join(pods)}"
        self._log("Normal", "ScaleDown", f"Scale-down: {message}")

    def evicting(self, pod: Pod) -> None:
        """A pod is evicted because its node is removed."""
        self._tell(pod, "Normal", "ScaleDown", "deleting pod for node scale down")

    def eviction_failed(self, pod: Pod) -> None:
        """A pod could not be evicted in time."""
        self._tell(pod, "Warning", "ScaleDownFailed", "failed to delete pod for ScaleDown")

    def removed(self, node: str, drained: bool) -> None:
        """The machine of a node was asked to go."""
        if drained:
            self._log("Normal", "ScaleDown", f"Scale-down: node {node} removed with drain")
        else:
            self._log("Normal", "ScaleDownEmpty", f"Scale-down: empty node {node} removed")

    def removal_failed(self, node: str, drained: bool, why: str) -> None:
        """A node was not removed after all."""
        what = "failed to drain and delete node" if drained else "failed to delete empty node"
        self._tell_node(node, "Warning", "ScaleDownFailed", f"{what}: {why}")
