from __future__ import annotations

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.nodelifecycle.disruptiontarget import disrupt
from wavetank.controllers.nodelifecycle.podsbynode import PodsByNode
from wavetank.kernel.durations import SECOND, Nanoseconds

_QUARANTINE: Nanoseconds = 40 * SECOND  # how long a node may be missing
_PERIOD: Nanoseconds = 20 * SECOND
_MOST_FINISHED = 12_500  # finished pods that are kept
_ALL: Key = ("", "")


class PodGarbageCollector:
    """The pod-garbage-collector-controller: deletes pods of deleted nodes, and old finished pods beyond a limit."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._finished: dict[str, Pod] = {}  # by uid
        self._surplus = context.queue(self._delete_surplus)
        self._lost = context.queue(self._collect)  # nodes
        self._pods = PodsByNode(self._store, self._pod_changed, self._pod_gone)
        self._store.subscribe(NODE, self)
        for node in self._pods.nodes():
            for pod in self._pods.on(node):
                self._pod_changed(pod)
            self._check_later(node, background=True)

    # events

    def added(self, new: Node) -> None:
        """Does nothing."""

    def modified(self, old: Node, new: Node) -> None:
        """Does nothing."""

    def deleted(self, old: Node) -> None:
        """Checks later whether a deleted node has come back."""
        self._check_later(old.name, background=not self._pods.on(old.name))  # a run waits for the end of its pods

    def _check_later(self, node: str, background: bool) -> None:
        if self._store.find(NODE, "", node) is None:
            self._lost.add_after(("", node), _QUARANTINE, background=background)

    def _pod_changed(self, pod: Pod) -> None:
        if pod.finished:
            self._finished[pod.uid] = pod
            if len(self._finished) > _MOST_FINISHED:
                self._surplus.add_after(_ALL, _PERIOD, background=True)

    def _pod_gone(self, pod: Pod) -> None:
        self._finished.pop(pod.uid, None)

    # work

    def _collect(self, key: Key) -> None:
        """Fails and deletes the pods of a node that has not come back."""
        if self._store.find(NODE, *key) is not None:
            return
        for pod in self._pods.on(key[1]):
            disrupt(self._context, pod, "DeletionByPodGC", "PodGC: node no longer exists", grace_s=0, fail=True)

    def _delete_surplus(self, key: Key) -> None:
        """Deletes the oldest finished pods, evicted ones first."""
        excess = len(self._finished) - _MOST_FINISHED
        oldest = sorted(self._finished.values(), key=lambda pod: (pod.reason != "Evicted", pod.created, pod.name))
        for pod in oldest[: max(0, excess)]:
            self._context.client.delete(pod, 0)
