from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.kueue.objects.conditions import IS_ADMITTED, IS_FINISHED, PENDING, WorkloadStatus
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo, is_active
from wavetank.controllers.kueue.pending.queues import Queues
from wavetank.controllers.kueue.quota.hierarchy import Hierarchy
from wavetank.kernel.durations import SECOND


class WorkloadEvents:
    """Keeps queues and quota up to date with the Workloads: pending ones are queued, the others hold quota."""

    def __init__(self, store: Store, hierarchy: Hierarchy, queues: Queues, wake: Callable[[], None]) -> None:
        self._store = store
        self._hierarchy = hierarchy
        self._queues = queues
        self._wake = wake

    def added(self, new: Resource) -> None:
        """Queues a new Workload, or counts what it holds."""
        state = WorkloadStatus(new, 0).state
        if state != IS_FINISHED and is_active(new):
            info = WorkloadInfo(new, self._store.specs)
            if state == PENDING:
                self._queues.put(info)
            else:
                self._hierarchy.put(info)

    def modified(self, old: Resource, new: Resource) -> None:
        """Takes note of a new version."""
        before, after = WorkloadStatus(old, 0), WorkloadStatus(new, 0)
        state, was_pending = after.state, before.state == PENDING
        if state == IS_FINISHED or not is_active(new):
            self._ended(new)
        elif state == PENDING:
            self._pending(new, was_pending)
        elif was_pending:
            self._queues.remove(new.key)
            self._hierarchy.put(WorkloadInfo(new, self._store.specs))
        else:
            self._hierarchy.put(WorkloadInfo(new, self._store.specs))
            gave_back = state == IS_ADMITTED and _reclaimable(old) != _reclaimable(new)
            if gave_back or _priority(old) != _priority(new):
                self._queues.requeue_with(new.key)
        self._wake()

    def deleted(self, old: Resource) -> None:
        """Gives back what a Workload held."""
        self._hierarchy.drop(old.key)
        self._queues.requeue_with(old.key)
        self._queues.forget(old.key)
        self._wake()

    def _ended(self, workload: Resource) -> None:
        self._queues.remove(workload.key)
        self._hierarchy.drop(workload.key)
        self._queues.requeue_with(workload.key)

    def _pending(self, new: Resource, was_pending: bool) -> None:
        info = WorkloadInfo(new, self._store.specs)
        if was_pending:
            self._queues.put(info)
            return
        self._hierarchy.drop(new.key)
        if info.requeue_at_s is None or info.requeue_at_s * SECOND <= self._store.clock.now:
            self._queues.put(info)
        self._queues.requeue_with(new.key)


def _reclaimable(workload: Resource) -> object:
    return (workload.manifest.get("status") or {}).get("reclaimablePods") or None


def _priority(workload: Resource) -> object:
    return (workload.manifest.get("spec") or {}).get("priority")
