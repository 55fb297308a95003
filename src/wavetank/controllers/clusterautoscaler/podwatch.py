from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND, Nanoseconds

_RECENT: Nanoseconds = 10 * SECOND
_LAG: Nanoseconds = 1_000  # of the informers


class PodWatch:
    """Knows the pods that a scheduler could not place, those on each node, and how many pods have a node.

    `signal` is called for each new version of such a pod whose condition changed at most ten seconds ago. The
    autoscaler's informers lag behind its trigger: the loop that a pod starts does not see it yet, nor others marked at
    that instant; if pods were bound at that instant before, it sees the first of them.
    """

    def __init__(self, store: Store, signal: Callable[[], None]) -> None:
        self._clock = store.clock
        self._signal = signal
        self._pending: dict[str, Pod] = {}
        self._marked: dict[str, Nanoseconds] = {}  # since when a pod is unschedulable
        self._bound: Nanoseconds = -SECOND  # when a pod was last bound
        self._first = ""  # the first pod that was marked at the last instant in which one was
        self._first_at: Nanoseconds = -1
        self.scheduled = 0
        self._store = store
        self._on: dict[str, dict[str, tuple[str, str]]] = {}  # keys of the running pods of a node, by uid
        store.subscribe(POD, self)
        for pod in store.list(POD):
            self.added(pod)

    def unschedulable(self, lagging: bool) -> list[Pod]:
        """Returns the pods that no node could be found for; `lagging` leaves out those marked at this instant."""
        instant = self._clock.now - _LAG
        hidden = {uid for uid, since in self._marked.items() if since >= instant} if lagging else set()
        if self._bound >= instant:
            hidden.discard(self._first)
        return [pod for pod in self._pending.values() if pod.uid not in hidden]

    def pods_on(self, node: str) -> list[Pod]:
        """Returns the pods of a node that have not finished, the oldest first."""
        found = (self._store.find(POD, *key) for key in self._on.get(node, {}).values())
        return sorted((pod for pod in found if isinstance(pod, Pod)), key=lambda pod: pod.created)

    def added(self, new: Pod) -> None:
        """Counts a new pod."""
        self._count(new, _is_scheduled(new))
        if _is_unschedulable(new):
            self._mark(new)

    def modified(self, old: Pod, new: Pod) -> None:
        """Follows a pod."""
        if old.node_name and new.node_name:
            if old.phase != new.phase:
                self._count(new, _is_scheduled(new) - _is_scheduled(old))
            return
        self._count(new, _is_scheduled(new) - _is_scheduled(old))
        if new.node_name:
            self._bound = self._clock.now
        if _is_unschedulable(new):
            self._mark(new)
        elif new.uid in self._pending:
            self._forget(new)

    def deleted(self, old: Pod) -> None:
        """Forgets a pod."""
        self._count(old, -_is_scheduled(old))
        if old.uid in self._pending:
            self._forget(old)

    def _count(self, pod: Pod, change: int) -> None:
        self.scheduled += change
        if change > 0:
            self._on.setdefault(pod.node_name, {})[pod.uid] = pod.key
        elif change < 0:
            pods = self._on[pod.node_name]
            del pods[pod.uid]
            if not pods:
                del self._on[pod.node_name]

    def _mark(self, pod: Pod) -> None:
        self._pending[pod.uid] = pod
        since = self._marked.setdefault(pod.uid, self._clock.now)
        if since == self._clock.now > self._first_at:
            self._first, self._first_at = pod.uid, since
        if since // SECOND * SECOND + _RECENT > self._clock.now:
            self._signal()

    def _forget(self, pod: Pod) -> None:
        del self._pending[pod.uid], self._marked[pod.uid]


def _is_scheduled(pod: Pod) -> bool:
    return bool(pod.node_name) and not pod.finished


def _is_unschedulable(pod: Pod) -> bool:
    return bool(pod.unschedulable) and not pod.node_name and not pod.finished
