from __future__ import annotations

from collections.abc import Iterable

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key, WorkQueue
from wavetank.controllers.nodelifecycle.disruptiontarget import fail_and_delete
from wavetank.controllers.nodelifecycle.podsbynode import PodsByNode
from wavetank.kernel.durations import SECOND, Nanoseconds

_QUARANTINE: Nanoseconds = 40 * SECOND  # how long a node may be missing
_PERIOD: Nanoseconds = 20 * SECOND
_MOST_FINISHED = 12_500  # finished pods that are kept
_OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
_ALL: Key = ("", "")


class PodGarbageCollector:
    """The pod-garbage-collector-controller: deletes pods that no kubelet will remove, and old finished pods.

    These are pods of nodes that do not exist, pods that are being deleted and have no node or one that is out of
    service, and finished pods beyond a limit. As in the real one pods are looked at every 20 s, at multiples of the
    cluster's time, but only if there may be one to delete.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._nodes = context.store.objects(NODE)
        self._finished: dict[str, Pod] = {}  # by uid
        self._surplus = context.queue(self._delete_surplus)
        self._missing = context.queue(self._delete_orphaned)  # nodes
        self._out_of_service = context.queue(self._delete_terminating)  # nodes
        self._unscheduled = context.queue(self._delete_unscheduled)  # pods
        self._pods = PodsByNode(context.store, self._pod_changed, self._pod_gone, self._unscheduled_changed)
        context.store.subscribe(NODE, modified=self._node_modified, deleted=self._node_deleted)
        for pod in context.store.list(Pod.group_kind):
            self._pod_changed(pod) if pod.node_name else self._unscheduled_changed(pod)

    # events

    def _node_modified(self, old: Node, new: Node) -> None:
        if new.taints and _is_out_of_service(new):
            self._add(self._out_of_service, ("", new.name))

    def _node_deleted(self, old: Node) -> None:
        for pod in self._pods.on(old.name):
            self._pod_changed(pod)

    def _pod_changed(self, pod: Pod) -> None:
        node = self._nodes.get(("", pod.node_name))
        if node is None:  # a run waits for the end of its pods
            self._add(self._missing, ("", pod.node_name), _QUARANTINE, background=pod.finished)
        elif pod.deleted is not None and _is_out_of_service(node):
            self._add(self._out_of_service, ("", node.name))
        if pod.finished:
            self._finished[pod.uid] = pod
            if len(self._finished) > _MOST_FINISHED:
                self._add(self._surplus, _ALL)

    def _unscheduled_changed(self, pod: Pod) -> None:
        if pod.deleted is not None and not pod.finished:
            self._add(self._unscheduled, pod.key)

    def _pod_gone(self, pod: Pod) -> None:
        self._finished.pop(pod.uid, None)

    def _add(self, queue: WorkQueue, key: Key, wait: Nanoseconds = 0, background: bool = True) -> None:
        """Adds a key for the first check after a time."""
        now = self._context.clock.now
        queue.add_after(key, -(-(now + wait) // _PERIOD) * _PERIOD - now, background)

    # work

    def _delete_orphaned(self, key: Key) -> None:
        """Fails and deletes the pods of a node that does not exist."""
        if key not in self._nodes:
            for pod in self._pods.on(key[1]):
                fail_and_delete(self._context, pod, "DeletionByPodGC", "PodGC: node no longer exists")

    def _delete_terminating(self, key: Key) -> None:
        """Fails and deletes the pods of a node out of service that are being deleted."""
        node = self._nodes.get(key)
        if node is not None and _is_out_of_service(node):
            for pod in _evicted_and_oldest_first(self._pods.on(node.name)):
                if pod.deleted is not None:
                    fail_and_delete(self._context, pod)

    def _delete_unscheduled(self, key: Key) -> None:
        """Fails a pod that is being deleted and has no node, and deletes it again."""
        pod = self._context.store.find(Pod.group_kind, *key)
        if isinstance(pod, Pod) and pod.deleted is not None and not pod.node_name:
            fail_and_delete(self._context, pod)

    def _delete_surplus(self, key: Key) -> None:
        """Deletes the oldest finished pods, evicted ones first."""
        excess = len(self._finished) - _MOST_FINISHED
        for pod in _evicted_and_oldest_first(self._finished.values())[: max(0, excess)]:
            fail_and_delete(self._context, pod)


def _is_out_of_service(node: Node) -> bool:
    return not node.ready and any(taint.key == _OUT_OF_SERVICE for taint in node.taints)


def _evicted_and_oldest_first(pods: Iterable[Pod]) -> list[Pod]:
    return sorted(pods, key=lambda pod: (pod.reason != "Evicted", pod.created, pod.name))
