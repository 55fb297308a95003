from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.objects.groupkinds import LOCAL_QUEUE, WORKLOAD
from wavetank.cluster.objects.kueue import ADMITTED, DEACTIVATION_TARGET, EVICTED, QUOTA_RESERVED, REQUEUED
from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.clusterqueues import DRAIN, NONE, stop_policy
from wavetank.controllers.kueue.objects.conditions import IS_FINISHED, WorkloadStatus
from wavetank.controllers.kueue.objects.workloads import is_active, local_queue_of
from wavetank.controllers.kueue.pending.queues import Queues
from wavetank.controllers.kueue.quota.hierarchy import Hierarchy
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode
from wavetank.controllers.kueue.writer import Writer
from wavetank.kernel.durations import SECOND, Nanoseconds

_Step = Callable[[Resource, WorkloadStatus], bool]


class WorkloadReconciler:
    """Deactivates, evicts and requeues Workloads: checks, stopped queues, execution times, back-off."""

    def __init__(self, context: ControllerContext, writer: Writer, hierarchy: Hierarchy, queues: Queues) -> None:
        self._context = context
        self._store = context.store
        self._writer = writer
        self._hierarchy = hierarchy
        self._queues = queues
        self._work = context.queue(self._reconcile)

    # events

    def changed(self, workload: Resource) -> None:
        """Enqueues a workload, unless there is nothing to do for it."""
        if not self._is_plain(workload):
            self._work.add(workload.key)

    def queue_changed(self, name: str) -> None:
        """Enqueues the workloads of a ClusterQueue."""
        for key, cluster_queue in list(self._queues.local.items()):
            if cluster_queue == name:
                self.local_changed(key)

    def local_changed(self, local: Key) -> None:
        """Enqueues the workloads of a LocalQueue."""
        for each in self._store.list(WORKLOAD):
            if local_queue_of(each) == local:
                self._work.add(each.key)

    def _is_plain(self, workload: Resource) -> bool:
        spec: dict[str, Any] = workload.manifest["spec"]
        status: dict[str, Any] = workload.manifest.get("status") or {}
        if spec.get("active") is False or spec.get("maximumExecutionTimeSeconds") is not None:
            return False
        if status.get("admissionChecks") or status.get("requeueState"):
            return False
        if any(each["type"] in (REQUEUED, DEACTIVATION_TARGET) for each in status.get("conditions") or ()):
            return False
        node = self._node(workload)
        return node is not None and node.inactive is None and not node.spec.checks

    def _node(self, workload: Resource) -> ClusterQueueNode | None:
        return self._hierarchy.queues.get(self._queues.local.get(local_queue_of(workload), ""))

    # work

    def _reconcile(self, key: Key) -> None:
        workload = self._store.find(WORKLOAD, *key)
        if workload is None or workload.deleted is not None:
            return
        status = self._writer.status_of(workload)
        if status.state == IS_FINISHED:
            return
        steps: tuple[_Step, ...] = (
            (self._requeue, self._restart, self._sync_checks, self._sync_admitted, self._guard, self._explain)
            if is_active(workload)
            else (self._deactivate, self._explain)
        )
        for step in steps:
            if step(workload, status):
                return

    def _deactivate(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Evicts an inactive workload."""
        target = status.get(DEACTIVATION_TARGET)
        changed = status.status.pop("requeueState", None) is not None
        if not status.is_true(EVICTED):
            said = f" due to {target['message']}" if target else ""
            status.remove(DEACTIVATION_TARGET)
            status.evict("Deactivated", f"The workload is deactivated{said}", target["reason"] if target else "")
            changed = True
        if changed:
            self._writer.write(workload, status)
        return changed

    def _requeue(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Deactivates a workload that is marked for it, or queues one whose back-off is over."""
        if status.is_true(DEACTIVATION_TARGET):
            document = workload.render()
            document["spec"] = {**document["spec"], "active": False}
            self._context.client.update(workload, document)
            return True
        at = self._retry_at(status)
        if at is not None:
            status.status["requeueState"] = {**(status.status.get("requeueState") or {}), "requeueAt": render_time(at)}
            self._writer.write(workload, status)
            return True
        return self._end_back_off(workload, status)

    def _retry_at(self, status: WorkloadStatus) -> Nanoseconds | None:
        """Returns until when a check that wants to be tried again has asked to wait, if that is news."""
        times = [
            (parse_time(each["lastTransitionTime"], "status") or 0) + int(each["requeueAfterSeconds"]) * SECOND
            for each in status.checks
            if each["state"] == "Retry" and each.get("requeueAfterSeconds") is not None
        ]
        latest = max(times, default=0)
        known = parse_time((status.status.get("requeueState") or {}).get("requeueAt"), "status") or 0
        return latest if latest > self._context.clock.now and latest > known else None

    def _end_back_off(self, workload: Resource, status: WorkloadStatus) -> bool:
        requeued = status.get(REQUEUED)
        until = parse_time((status.status.get("requeueState") or {}).get("requeueAt"), "status")
        if until is not None and until > self._context.clock.now:
            self._work.add_after(workload.key, until - self._context.clock.now)
            return True
        if until is not None:
            status.status["requeueState"] = {
                name: value for name, value in status.status["requeueState"].items() if name != "requeueAt"
            }
        if requeued is not None and requeued["status"] == "False":
            if requeued["reason"].startswith("Deactivated"):
                status.requeued(True, "Reactivated", "The workload was reactivated")
            elif requeued["reason"] in ("PodsReadyTimeout", "AdmissionCheck"):
                status.requeued(True, "BackoffFinished", "The workload backoff was finished")
            elif until is None:
                return False
        elif until is None:
            return False
        self._writer.write(workload, status)
        return True

    def _restart(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Lets a workload be queued again after a stopped queue was started again."""
        requeued = status.get(REQUEUED)
        if requeued is None or requeued["status"] == "True":
            return False
        local = self._local(workload)
        node = self._node(workload)
        if requeued["reason"] == "LocalQueueStopped" and local is not None and stop_policy(local) == NONE:
            status.requeued(True, "LocalQueueRestarted", "The LocalQueue was restarted after being stopped")
        elif requeued["reason"] == "ClusterQueueStopped" and node is not None and node.spec.stop == NONE:
            status.requeued(True, "ClusterQueueRestarted", "The ClusterQueue was restarted after being stopped")
        else:
            return False
        self._writer.write(workload, status)
        return True

    def _sync_checks(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Adds the admission checks of the ClusterQueue, and removes others."""
        node = self._node(workload)
        if node is None:
            return False
        admission = status.status.get("admission") or {}
        assignments = admission.get("podSetAssignments")
        flavors = None if assignments is None else [name for each in assignments for name in each["flavors"].values()]
        wanted = node.spec.checks_for(flavors)
        present = {each["name"] for each in status.checks}
        if wanted == present:
            return False
        time = render_time(self._context.clock.now)
        new = [
            {"name": name, "state": "Pending", "message": "", "lastTransitionTime": time}
            for name in sorted(wanted - present)
        ]
        kept = [each for each in status.checks if each["name"] in wanted]
        status.status["admissionChecks"] = sorted([*kept, *new], key=lambda each: str(each["name"]))
        self._writer.write(workload, status)
        return True

    def _sync_admitted(self, workload: Resource, status: WorkloadStatus) -> bool:
        if status.is_true(ADMITTED) or not status.sync_admitted():
            return False
        self._writer.write(workload, status)
        return True

    def _guard(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Evicts a workload with quota whose checks have failed, whose queue is stopped, or whose time is over."""
        if not status.is_true(QUOTA_RESERVED):
            return False
        if status.is_true(EVICTED) or self._reject(workload, status):
            return True
        reason = self._reason_to_evict(workload, status)
        if reason is not None:
            status.evict(*reason)
            self._writer.write(workload, status)
        elif not self._hold(workload, status):
            self._limit_execution(workload, status)
        return True

    def _hold(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Takes the quota back from a workload of a stopped queue whose checks are not ready yet."""
        if status.is_true(ADMITTED):
            return False
        local, node = self._local(workload), self._node(workload)
        if local is None or local.deleted is not None:
            said = f"LocalQueue {local_queue_of(workload)[1]} is terminating or missing"
        elif stop_policy(local) != NONE:
            said = f"LocalQueue {local.name} is stopped"
        elif node is None:
            said = f"ClusterQueue {(local.manifest.get('spec') or {}).get('clusterQueue')} is terminating or missing"
        elif node.spec.stop != NONE:
            said = f"ClusterQueue {node.name} is stopped"
        else:
            return False
        if status.unreserve("Inadmissible", said):
            self._writer.write(workload, status)
        return True

    def _reject(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Marks a workload with rejected checks for deactivation; returns whether it has any."""
        rejected = [each["name"] for each in status.checks if each["state"] == "Rejected"]
        if not rejected:
            return False
        said = f"Admission check(s): {','.join(rejected)}, were rejected"
        status.set(DEACTIVATION_TARGET, True, "AdmissionCheck", said)
        self._writer.write(workload, status)
        return True

    def _reason_to_evict(self, workload: Resource, status: WorkloadStatus) -> tuple[str, str] | None:
        """Returns reason and message if a workload with quota has to give it back."""
        if status.has_check("Retry"):
            return "AdmissionCheck", "At least one admission check is false"
        local, node = self._local(workload), self._node(workload)
        if status.is_true(ADMITTED):
            if local is not None and stop_policy(local) == DRAIN:
                return "LocalQueueStopped", "The LocalQueue is stopped"
            if node is not None and node.spec.stop == DRAIN:
                return "ClusterQueueStopped", "The ClusterQueue is stopped"
        return None

    def _limit_execution(self, workload: Resource, status: WorkloadStatus) -> None:
        limit = workload.manifest["spec"].get("maximumExecutionTimeSeconds")
        admitted = status.get(ADMITTED)
        if limit is None or admitted is None or admitted["status"] != "True":
            return
        past = int(status.status.get("accumulatedPastExecutionTimeSeconds") or 0)
        since = parse_time(admitted["lastTransitionTime"], "status") or 0
        left = (int(limit) - past) * SECOND - (self._context.clock.now - since)
        if left > 0:
            self._work.add_after(workload.key, left)
        elif not status.is_true(DEACTIVATION_TARGET):
            said = "exceeding the maximum execution time"
            status.set(DEACTIVATION_TARGET, True, "MaximumExecutionTimeExceeded", said)
            status.status.pop("accumulatedPastExecutionTimeSeconds", None)
            self._writer.write(workload, status)

    def _explain(self, workload: Resource, status: WorkloadStatus) -> bool:
        """Writes why a pending workload is not even tried."""
        name = local_queue_of(workload)[1]
        local, node = self._local(workload), self._node(workload)
        if local is None:
            said = f"LocalQueue {name} doesn't exist"
        elif stop_policy(local) != NONE:
            said = f"LocalQueue {name} is inactive"
        elif node is None:
            cluster_queue = (local.manifest.get("spec") or {}).get("clusterQueue")
            said = f"ClusterQueue {cluster_queue} doesn't exist"
        elif node.inactive is not None:
            said = f"ClusterQueue {node.name} is inactive"
        else:
            return False
        if not status.is_true(QUOTA_RESERVED) and status.unreserve("Inadmissible", said):
            self._writer.write(workload, status)
        return True

    def _local(self, workload: Resource) -> Resource | None:
        return self._store.find(LOCAL_QUEUE, *local_queue_of(workload))
