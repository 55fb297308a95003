from __future__ import annotations

from collections.abc import Callable

from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.clusterqueues import STRICT
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.pending.heap import Heap

# Why a workload comes back from a cycle.
GENERIC, NAMESPACE_MISMATCH, FAILED_AFTER_NOMINATION, PENDING_PREEMPTION = (
    "",
    "NamespaceMismatch",
    "FailedAfterNomination",
    "PendingPreemption",
)


class PendingQueue:
    """The pending workloads of a ClusterQueue: those to try, in order, and those that were tried in vain.

    The order is by priority, then by time. A workload that is preempting others stays first in a BestEffortFIFO queue.
    `may_come` tells whether the namespace of a workload matches; `now_s` is the time in seconds.
    """

    def __init__(self, name: str, may_come: Callable[[WorkloadInfo], bool], now_s: Callable[[], float]) -> None:
        self.name = name
        self.strategy = ""
        self.heap = Heap(self._less)
        self.inadmissible: dict[Key, WorkloadInfo] = {}
        self._may_come = may_come
        self._now_s = now_s
        self._sticky: Key | None = None
        self._pops = 0
        self._moved_at = -1  # pops when inadmissible workloads were last moved

    def __len__(self) -> int:
        return len(self.heap) + len(self.inadmissible)

    def _less(self, one: WorkloadInfo, other: WorkloadInfo) -> bool:
        if self._sticky is not None:
            if one.key == self._sticky:
                return True
            if other.key == self._sticky:
                return False
        if one.priority != other.priority:
            return one.priority > other.priority
        return one.order_s <= other.order_s

    def put(self, workload: WorkloadInfo) -> None:
        """Adds a workload or a new version of it; one that was tried in vain stays so unless something else changed."""
        key = workload.key
        old = self.inadmissible.get(key)
        if old is not None:
            if _asks_the_same(old, workload):
                self.inadmissible[key] = workload
                return
            del self.inadmissible[key]
        if key not in self.heap and not self._may_be_tried(workload):
            self.inadmissible[key] = workload
        else:
            self.heap.put(workload)

    def requeue(self, workload: WorkloadInfo, reason: str) -> bool:
        """Takes back a workload that was not admitted; returns whether it was not there already."""
        if reason == PENDING_PREEMPTION and self.strategy != STRICT:
            self._sticky = workload.key
        if self.strategy == STRICT:
            at_once = reason != NAMESPACE_MISMATCH
        else:
            at_once = reason in (FAILED_AFTER_NOMINATION, PENDING_PREEMPTION)
        key = workload.key
        again = at_once or self._moved_at >= self._pops or (workload.last is not None and workload.last.has_more)
        if self._may_be_tried(workload) and again:
            return self.heap.add(self.inadmissible.pop(key, workload))
        if key in self.inadmissible or key in self.heap:
            return False
        self.inadmissible[key] = workload
        return True

    def move_inadmissible(self) -> bool:
        """Lets all workloads be tried again that may; returns whether there were any."""
        self._moved_at = self._pops
        if not self.inadmissible:
            return False
        stay: dict[Key, WorkloadInfo] = {}
        moved = False
        for key, workload in self.inadmissible.items():
            if self._may_come(workload) and self._may_be_tried(workload):
                moved = self.heap.add(workload) or moved
            else:
                stay[key] = workload
        self.inadmissible = stay
        return moved

    def pop(self) -> WorkloadInfo | None:
        """Removes and returns the first workload to try."""
        self._pops += 1
        return self.heap.pop() if len(self.heap) else None

    def remove(self, key: Key) -> None:
        """Removes a workload."""
        self.inadmissible.pop(key, None)
        self.heap.remove(key)
        if self._sticky == key:
            self._sticky = None

    def _may_be_tried(self, workload: WorkloadInfo) -> bool:
        """Tells whether a workload's back-off is over."""
        if workload.waits:
            return False
        return workload.requeue_at_s is None or self._now_s() >= workload.requeue_at_s


def _asks_the_same(old: WorkloadInfo, new: WorkloadInfo) -> bool:
    before, after = old.resource.manifest, new.resource.manifest
    if before["spec"] is not after["spec"] and before["spec"] != after["spec"]:
        return False
    one, other = before.get("status") or {}, after.get("status") or {}
    if one.get("reclaimablePods") != other.get("reclaimablePods"):
        return False
    return all(_condition(one, kind) == _condition(other, kind) for kind in ("Evicted", "Requeued"))


def _condition(status: dict[str, object], kind: str) -> object:
    conditions = status.get("conditions")
    found = conditions if isinstance(conditions, list) else ()
    return next((each for each in found if each["type"] == kind), None)
