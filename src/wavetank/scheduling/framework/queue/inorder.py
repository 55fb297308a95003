from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import Clock
from wavetank.scheduling.framework.heavywork import HeavyWork
from wavetank.scheduling.framework.queue.queue import Place, QueuedPod, QueueRules, SchedulingQueue


class InOrderQueue(SchedulingQueue):
    """A queue in which a pod that does not fit blocks those behind it, and keeps its place, without back-off.

    It is tried again at the first event that may help it. The queue of pfnet's k8s-cluster-simulator, and so of
    K8sSim, works like this.
    """

    def __init__(self, clock: Clock, rules: QueueRules, wake: Callable[[], None], heavy_work: HeavyWork) -> None:
        super().__init__(clock, rules, wake, heavy_work)
        self._blocking: QueuedPod | None = None

    def pop(self) -> QueuedPod | None:
        """Returns the pod to try next, or None if nothing can be tried now."""
        return super().pop() if self._blocking is None else None

    def refused(self, queued: QueuedPod, rejectors: frozenset[str]) -> None:
        """Blocks the queue until an event comes that one of the rejecting plugins registers for."""
        since = queued.timestamp, queued.stamp
        super().refused(queued, rejectors)
        queued.timestamp, queued.stamp = since
        if queued.place is Place.UNSCHEDULABLE:
            self._blocking = queued

    def remove(self, pod: Pod) -> None:
        """Removes a pod that was deleted, or bound by another scheduler."""
        super().remove(pod)
        if self._blocking is not None and self._blocking.pod.uid == pod.uid:
            self._blocking = None
            self._wake()

    def _requeue(self, queued: QueuedPod) -> None:
        if self._blocking is queued:
            self._blocking = None
        self._enter(queued, Place.ACTIVE)
