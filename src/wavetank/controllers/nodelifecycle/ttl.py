from __future__ import annotations

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key

ANNOTATION = "node.alpha.kubernetes.io/ttl"
# How long kubelets may cache secrets and config maps, in seconds, by the maximum number of nodes in the cluster.
_LIMITS = ((100, 0), (500, 15), (1000, 30), (2000, 60))
_LONGEST_S = 300


class NodeTTL:
    """The ttl-controller: annotates each node with how long its kubelet may cache objects, by cluster size."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._queue = context.queue(self._sync)
        self._count = 0
        context.store.subscribe(NODE, self)
        for node in context.store.list(NODE):
            self.added(node)

    def added(self, new: Resource) -> None:
        """Adds a node."""
        self._count += 1
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a node that has lost its annotation."""
        if ANNOTATION not in new.annotations:
            self._queue.add(new.key)

    def deleted(self, old: Resource) -> None:
        """Removes a node."""
        self._count -= 1

    def _sync(self, key: Key) -> None:
        node = self._context.store.find(NODE, *key)
        wanted = str(self._seconds())
        if node is None or node.annotations.get(ANNOTATION) == wanted:
            return
        document = self._context.render(node)
        annotations = {**(document["metadata"].get("annotations") or {}), ANNOTATION: wanted}
        document["metadata"] = {**document["metadata"], "annotations": annotations}
        self._context.client.update(node, document)

    def _seconds(self) -> int:
        return next((seconds for most, seconds in _LIMITS if self._count <= most), _LONGEST_S)
