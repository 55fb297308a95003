from __future__ import annotations

from typing import Any

from wavetank.cluster.fields.resources import format_amounts
from wavetank.cluster.objects.groupkinds import CLUSTER_QUEUE, LOCAL_QUEUE, WORKLOAD
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.conditions import IS_ADMITTED, PENDING, RESERVED, WorkloadStatus
from wavetank.controllers.kueue.objects.workloads import is_active, local_queue_of
from wavetank.controllers.kueue.pending.queues import Queues
from wavetank.controllers.kueue.quota.hierarchy import Hierarchy
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode


class QueueStatuses:
    """Writes the status of ClusterQueues and LocalQueues, for clients that read it."""

    def __init__(self, context: ControllerContext, hierarchy: Hierarchy, queues: Queues) -> None:
        self._context = context
        self._store = context.store
        self._hierarchy = hierarchy
        self._queues = queues
        self._cluster_work = context.queue(self._write_cluster_queue)
        self._local_work = context.queue(self._write_local_queue)

    def changed(self, workload: Resource) -> None:
        """Takes note of a workload that has changed."""
        local = local_queue_of(workload)
        self._local_work.add(local)
        name = self._queues.local.get(local)
        if name is not None:
            self._cluster_work.add(("", name))

    def queue_changed(self, name: str) -> None:
        """Takes note of a ClusterQueue that has changed."""
        self._cluster_work.add(("", name))

    def _write_cluster_queue(self, key: Key) -> None:
        resource = self._store.find(CLUSTER_QUEUE, "", key[1])
        node = self._hierarchy.queues.get(key[1])
        if resource is None or node is None:
            return
        held = [WorkloadStatus(each.resource, 0).state for each in node.workloads.values()]
        pending = self._queues.pending.get(key[1])
        usage = _usage(node)
        self._write(
            resource,
            {
                "flavorsReservation": usage,
                "flavorsUsage": usage,
                "pendingWorkloads": len(pending) if pending is not None else 0,
                "reservingWorkloads": len(held),
                "admittedWorkloads": held.count(IS_ADMITTED),
            },
            node.inactive or ("", ""),
            ("Ready", "Can admit new workloads"),
        )

    def _write_local_queue(self, key: Key) -> None:
        resource = self._store.find(LOCAL_QUEUE, *key)
        if resource is None:
            return
        own = [each for each in self._store.list(WORKLOAD) if local_queue_of(each) == key and is_active(each)]
        states = [WorkloadStatus(each, 0).state for each in own]
        node = self._hierarchy.queues.get(self._queues.local.get(key, ""))
        inactive = ("", "")
        if node is None or node.inactive is not None:
            inactive = ("ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue")
        self._write(
            resource,
            {
                "pendingWorkloads": states.count(PENDING),
                "reservingWorkloads": states.count(RESERVED) + states.count(IS_ADMITTED),
                "admittedWorkloads": states.count(IS_ADMITTED),
            },
            inactive,
            ("Ready", "Can submit new workloads to localQueue"),
        )

    def _write(
        self, resource: Resource, figures: dict[str, Any], inactive: tuple[str, str], active: tuple[str, str]
    ) -> None:
        before: dict[str, Any] = resource.manifest.get("status") or {}
        reason, message = inactive if inactive[0] else active
        condition = {
            "type": "Active",
            "status": "False" if inactive[0] else "True",
            "reason": reason,
            "message": message,
            "observedGeneration": int((resource.manifest.get("metadata") or {}).get("generation") or 1),
            "lastTransitionTime": render_time(self._context.clock.now),
        }
        old = next(iter(before.get("conditions") or ()), None)
        if old is not None and old["status"] == condition["status"]:
            condition["lastTransitionTime"] = old["lastTransitionTime"]
        status = {**before, **figures, "conditions": [condition]}
        if status != before:
            self._context.client.update_status(resource, status)


def _usage(node: ClusterQueueNode) -> list[dict[str, Any]]:
    """Returns the usage of a ClusterQueue by flavor, as its status has it."""
    found: dict[str, list[dict[str, str]]] = {}
    for (flavor, resource), quota in node.quotas.items():
        used = node.usage.get((flavor, resource), 0)
        borrowed = max(0, used - quota.nominal) if node.parent is not None else 0
        amounts = [format_amounts({resource: amount})[resource] for amount in (used, borrowed)]
        found.setdefault(flavor, []).append({"name": resource, "total": amounts[0], "borrowed": amounts[1]})
    return [{"name": flavor, "resources": resources} for flavor, resources in found.items()]
