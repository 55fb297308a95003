"""The taints of the autoscaler on nodes."""

from __future__ import annotations

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.durations import SECOND, Nanoseconds

TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"
DELETION_CANDIDATE = "DeletionCandidateOfClusterAutoscaler"
_LONGEST_DELETION: Nanoseconds = 300 * SECOND  # for so long a cloud may take to remove a node


def has_taint(node: Node, key: str) -> bool:
    """Returns whether a node has a taint of this key."""
    return any(taint.key == key for taint in node.taints)


def is_being_deleted(node: Node, now: Nanoseconds) -> bool:
    """Returns whether a node was marked to be deleted not long ago."""
    times = (taint.value for taint in node.taints if taint.key == TO_BE_DELETED)
    return any(now - int(time) * SECOND < _LONGEST_DELETION for time in times if time.isdigit())


class NodeTaints:
    """Writes the taints of the autoscaler; ApiError if a write is refused."""

    def __init__(self, context: ControllerContext, cordon: bool) -> None:
        self._context = context
        self._cordon = cordon

    def mark_to_be_deleted(self, name: str) -> None:
        """Keeps new pods off a node, by a taint and by cordoning it."""
        self._add(name, TO_BE_DELETED, "NoSchedule", cordon=self._cordon)

    def clean_to_be_deleted(self, name: str) -> None:
        """Lets pods on a node again."""
        self._remove(name, TO_BE_DELETED, uncordon=self._cordon)

    def mark_candidate(self, name: str) -> None:
        """Lets the scheduler prefer other nodes."""
        self._add(name, DELETION_CANDIDATE, "PreferNoSchedule")

    def clean_candidate(self, name: str) -> None:
        """Ends that preference."""
        self._remove(name, DELETION_CANDIDATE)

    def _add(self, name: str, key: str, effect: str, cordon: bool = False) -> None:
        node = self._find(name)
        if node is None or has_taint(node, key):
            return
        document = node.render()
        spec = document["spec"] = dict(document.get("spec") or {})
        stamp = str(EPOCH_SECONDS + self._context.clock.now // SECOND)
        spec["taints"] = [*(spec.get("taints") or []), {"key": key, "value": stamp, "effect": effect}]
        if cordon:
            spec["unschedulable"] = True
        self._context.client.update(node, document)

    def _remove(self, name: str, key: str, uncordon: bool = False) -> None:
        node = self._find(name)
        if node is None or not has_taint(node, key):
            return
        document: Document = node.render()
        spec = document["spec"] = dict(document["spec"])
        spec["taints"] = [taint for taint in spec["taints"] if taint["key"] != key]
        if uncordon:
            spec.pop("unschedulable", None)
        self._context.client.update(node, document)

    def _find(self, name: str) -> Node | None:
        node = self._context.store.find(NODE, "", name)
        return node if isinstance(node, Node) else None
