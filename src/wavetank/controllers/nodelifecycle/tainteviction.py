from __future__ import annotations

from functools import partial

from wavetank.cluster.fields.taints import Taint, Toleration
from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.nodelifecycle.disruptiontarget import disrupt
from wavetank.controllers.nodelifecycle.podsbynode import PodsByNode
from wavetank.kernel.clock import Timer
from wavetank.kernel.durations import SECOND, Nanoseconds

_COMPONENT = "taint-eviction-controller"
_RETRIES = 5


class TaintEviction:
    """The taint-eviction-controller: evicts pods from nodes with NoExecute taints that they do not tolerate."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._clock = context.clock
        self._queue = context.queue(self._delete, retries=_RETRIES)
        self._taints: dict[str, tuple[Taint, ...]] = {}  # by node
        self._evictions: dict[str, tuple[Nanoseconds, Timer]] = {}  # by pod: when it was planned, and its timer
        self._pods = PodsByNode(context.store, self._pod_changed, self._pod_gone)
        context.store.subscribe(NODE, self)
        for node in context.store.list(NODE):
            self.added(node)

    # events

    def added(self, new: Node) -> None:
        """Updates the taints of a node."""
        taints = tuple(taint for taint in new.taints if taint.effect == "NoExecute")
        if taints == self._taints.get(new.name, ()):
            return
        self._taints[new.name] = taints
        if not taints:
            del self._taints[new.name]
        for pod in self._pods.on(new.name):
            self._plan_or_cancel(pod, taints)

    def modified(self, old: Node, new: Node) -> None:
        """Updates the taints of a node."""
        if old.taints is not new.taints:
            self.added(new)

    def deleted(self, old: Node) -> None:
        """Removes a node; its pods are left to the pod garbage collector."""
        self._taints.pop(old.name, None)

    def _pod_changed(self, pod: Pod) -> None:
        taints = self._taints.get(pod.node_name)
        if taints and pod.uid not in self._evictions and pod.deleted is None:
            self._plan_or_cancel(pod, taints)

    def _pod_gone(self, pod: Pod) -> None:
        self._cancel(pod)

    # work

    def _plan_or_cancel(self, pod: Pod, taints: tuple[Taint, ...]) -> None:
        """Plans or cancels the eviction of a pod."""
        if not taints:
            self._cancel(pod)
            return
        used = [_first(pod, taint) for taint in taints]
        if None in used:
            self._cancel(pod)
            self._plan(pod, self._clock.now, 0)
            return
        patience = [toleration.seconds for toleration in used if toleration is not None]
        limits = [max(0, seconds) for seconds in patience if seconds is not None]
        if not limits:
            self._cancel(pod)
            return
        since = self._clock.now
        planned = self._evictions.get(pod.uid)
        if planned is not None:
            since = planned[0]
            if since < self._clock.now:
                return
            self._cancel(pod)
        self._plan(pod, since, min(limits) * SECOND)

    def _plan(self, pod: Pod, since: Nanoseconds, delay: Nanoseconds) -> None:
        timer = self._clock.at(since + delay, partial(self._evict, pod))
        self._evictions[pod.uid] = (since, timer)

    def _cancel(self, pod: Pod) -> None:
        planned = self._evictions.pop(pod.uid, None)
        if planned is not None and planned[1].callback is not None:
            planned[1].cancel()
            self._record(pod, f"Cancelling deletion of Pod {pod.namespace}/{pod.name}")

    def _evict(self, pod: Pod) -> None:
        self._record(pod, f"Marking for deletion Pod {pod.namespace}/{pod.name}")
        self._queue.add(pod.key)

    def _delete(self, key: Key) -> None:
        pod = self._context.store.find(Pod.group_kind, *key)
        if isinstance(pod, Pod) and pod.uid in self._evictions:
            message = "Taint manager: deleting due to NoExecute taint"
            disrupt(self._context, pod, "DeletionByTaintManager", message)

    def _record(self, pod: Pod, message: str) -> None:
        self._context.record_event(pod, "Normal", "TaintManagerEviction", message, _COMPONENT)


def _first(pod: Pod, taint: Taint) -> Toleration | None:
    """Returns the first toleration of a pod that tolerates a taint."""
    return next((toleration for toleration in pod.spec.tolerations.items if toleration.tolerates(taint)), None)
