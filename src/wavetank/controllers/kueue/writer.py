from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.fields.resources import format_amounts
from wavetank.cluster.objects.groupkinds import WORKLOAD
from wavetank.cluster.objects.kueue import JOB_UID, PREEMPTED
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.conditions import WorkloadStatus
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode
from wavetank.controllers.kueue.scheduler.preemption import (
    FAIR,
    IN_QUEUE,
    RECLAIM,
    RECLAIM_WHILE_BORROWING,
    Target,
)

_WORDS = {
    IN_QUEUE: "prioritization in the ClusterQueue",
    RECLAIM: "reclamation within the cohort",
    FAIR: "Fair Sharing within the cohort",
    RECLAIM_WHILE_BORROWING: "reclamation within the cohort while borrowing",
}
COMPONENT = "kueue-admission"


class Writer:
    """Writes the status of Workloads, as Kueue's scheduler and controllers do.

    Why a workload is pending is written only if a program outside can read it.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store

    def status_of(self, resource: Resource) -> WorkloadStatus:
        """Returns the status of a Workload, to be changed and written."""
        return WorkloadStatus(resource, self._context.clock.now)

    def write(self, resource: Resource, status: WorkloadStatus) -> Resource:
        """Writes a changed status; returns the new version."""
        return self._context.client.update_status(resource, status.status)

    def admit(self, workload: WorkloadInfo, queue: ClusterQueueNode, admission: dict[str, Any]) -> WorkloadInfo | None:
        """Reserves quota; the workload is admitted at once if it needs no checks, or all are ready."""
        resource = self._find(workload.key)
        if resource is None:
            return None
        status = self.status_of(resource)
        status.reserve(admission)
        flavors = [name for each in admission["podSetAssignments"] for name in each["flavors"].values()]
        if queue.spec.checks_for(flavors) <= {each["name"] for each in status.checks}:
            status.sync_admitted()
        new = self.write(resource, status)
        self.record(new, "QuotaReserved", f"Quota reserved in ClusterQueue {queue.name}")
        return WorkloadInfo(new, self._store.specs)

    def preempt(self, target: Target, preemptor: WorkloadInfo, queue: ClusterQueueNode) -> None:
        """Evicts a workload for another."""
        resource = self._find(target.workload.key)
        if resource is None:
            return
        status = self.status_of(resource)
        uid, job = preemptor.resource.uid or "UNKNOWN", preemptor.resource.labels.get(JOB_UID, "UNKNOWN")
        message = (
            f"Preempted to accommodate a workload (UID: {uid}, JobUID: {job}) due to {_WORDS[target.reason]}; "
            f"preemptor path: {queue.path}; preemptee path: {target.queue.path}"
        )
        status.set(PREEMPTED, True, target.reason, message)
        status.evict("Preempted", message)
        new = self.write(resource, status)
        self.record(new, "EvictedDueToPreempted", message)
        self.record(new, "Preempted", message)

    def report_pending(self, workload: WorkloadInfo, message: Callable[[], str]) -> bool:
        """Reports why a workload is pending; the next attempt begins with the first flavor then."""
        if not self._context.observed:
            workload.last = None  # as if the workload had come back as a new version
            return True
        resource = self._find(workload.key)
        if resource is None:
            return False
        status, text = self.status_of(resource), message()
        changed = status.unreserve("Pending", text)
        requests = [{"name": each.name, "resources": format_amounts(each.requests)} for each in workload.pod_sets]
        if status.status.get("resourceRequests") != requests:
            status.status["resourceRequests"] = requests
            changed = True
        self._context.record_event(resource, "Warning", "Pending", text, COMPONENT)
        if changed:
            self.write(resource, status)
        return changed

    def record(self, resource: Resource, reason: str, message: str) -> None:
        """Records a normal Event."""
        self._context.record_event(resource, "Normal", reason, message, COMPONENT)

    def _find(self, key: Key) -> Resource | None:
        return self._store.find(WORKLOAD, *key)
