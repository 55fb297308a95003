from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.resources import parse_amounts
from wavetank.cluster.objects.groupkinds import CLUSTER_QUEUE, COHORT, LOCAL_QUEUE, WORKLOAD
from wavetank.cluster.objects.kueue import ADMITTED, EVICTED, FINISHED, PREEMPTED, QUOTA_RESERVED
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.observer import Observer

FlavorResource = tuple[str, str]
_PREEMPTOR = re.compile(r"preemptor path: (\S+);")


@dataclass(slots=True)
class WorkloadRow:
    """One Workload: when it was queued, admitted, evicted and finished."""

    namespace: str
    name: str
    owner: str
    queue: str
    priority: int
    submitted: Nanoseconds
    cluster_queue: str = ""
    admitted: list[Nanoseconds] = field(default_factory=list)
    evicted: list[Nanoseconds] = field(default_factory=list)
    preempted_by: list[tuple[str, str]] = field(default_factory=list)  # the preemptor's ClusterQueue, the reason
    finished: Nanoseconds | None = None
    deleted: Nanoseconds | None = None
    flavors: tuple[str, ...] = ()
    message: str = ""  # why it is pending


@dataclass(frozen=True, slots=True)
class UsageChange:
    """A change of what a ClusterQueue holds of a flavor's resource."""

    time: Nanoseconds
    queue: str
    resource: FlavorResource
    amount: int


class QueueRecorder(Observer):
    """Records Workloads, built-in or of a real Kueue, and what they hold of the quotas of ClusterQueues."""

    def __init__(self) -> None:
        self.rows: list[WorkloadRow] = []
        self.changes: list[UsageChange] = []
        self.queues: dict[str, Manifest] = {}  # ClusterQueues, as they were last
        self.cohorts: dict[str, Manifest] = {}
        self._rows: dict[str, WorkloadRow] = {}
        self._held: dict[str, tuple[str, dict[FlavorResource, int]]] = {}
        self._locals: dict[tuple[str, str], str] = {}

    def join(self, context: ActorContext) -> None:
        """Watches Workloads and queues."""
        self._clock, store = context.clock, context.store
        for kind, known in ((CLUSTER_QUEUE, self.queues), (COHORT, self.cohorts)):
            store.subscribe(kind, added=_keeper(known), modified=_updater(known))
        store.subscribe(LOCAL_QUEUE, added=self._local, modified=lambda old, new: self._local(new))
        store.subscribe(WORKLOAD, added=self._added, modified=self._modified, deleted=self._deleted)

    def _local(self, new: Resource) -> None:
        self._locals[new.key] = str((new.manifest.get("spec") or {}).get("clusterQueue") or "")

    def _added(self, new: Resource) -> None:
        spec = new.manifest.get("spec") or {}
        owners = (new.manifest.get("metadata") or {}).get("ownerReferences") or []
        owner = str(owners[0]["name"]) if len(owners) == 1 else new.name
        queue = str(spec.get("queueName") or "")
        row = WorkloadRow(new.namespace, new.name, owner, queue, int(spec.get("priority") or 0), self._clock.now)
        row.cluster_queue = self._locals.get((new.namespace, queue), "")
        self._rows[new.uid] = row
        self.rows.append(row)
        self._note(row, {}, new)

    def _modified(self, old: Resource, new: Resource) -> None:
        row = self._rows.get(new.uid)
        if row is not None and old.manifest.get("status") is not new.manifest.get("status"):
            self._note(row, _true(old), new)

    def _deleted(self, old: Resource) -> None:
        row = self._rows.pop(old.uid, None)
        if row is not None:
            row.deleted = self._clock.now
            self._hold(old.uid, "", {})

    def _note(self, row: WorkloadRow, before: Mapping[str, Mapping[str, Any]], new: Resource) -> None:
        after, now = _true(new), self._clock.now
        status = new.manifest.get("status") or {}
        admission = status.get("admission")
        if ADMITTED in after and ADMITTED not in before:
            row.admitted.append(now)
            row.cluster_queue = str(admission["clusterQueue"]) if admission else row.cluster_queue
            row.flavors = _flavors(admission or {})
        if EVICTED in after and EVICTED not in before:
            row.evicted.append(now)
        if PREEMPTED in after and PREEMPTED not in before:
            path = _PREEMPTOR.search(str(after[PREEMPTED].get("message") or ""))
            row.preempted_by.append((path[1].rpartition("/")[2] if path else "", str(after[PREEMPTED]["reason"])))
        if FINISHED in after and row.finished is None:
            row.finished = now
        row.message = "" if ADMITTED in after else _message(status)
        if admission and QUOTA_RESERVED in after and FINISHED not in after:
            self._hold(new.uid, str(admission["clusterQueue"]), _usage(new.manifest, admission))
        else:
            self._hold(new.uid, "", {})

    def _hold(self, uid: str, queue: str, usage: dict[FlavorResource, int]) -> None:
        old_queue, old = self._held.get(uid, ("", {}))
        if (old_queue, old) == (queue, usage):
            return
        now = self._clock.now
        self.changes += [UsageChange(now, old_queue, name, -amount) for name, amount in old.items()]
        self.changes += [UsageChange(now, queue, name, amount) for name, amount in usage.items()]
        if usage:
            self._held[uid] = queue, usage
        else:
            self._held.pop(uid, None)


def _keeper(known: dict[str, Manifest]) -> Callable[[Resource], None]:
    return lambda new: known.__setitem__(new.name, new.manifest)


def _updater(known: dict[str, Manifest]) -> Callable[[Resource, Resource], None]:
    return lambda old, new: known.__setitem__(new.name, new.manifest)


def _true(workload: Resource) -> dict[str, Mapping[str, Any]]:
    """Returns the conditions of a Workload that are True."""
    conditions = (workload.manifest.get("status") or {}).get("conditions") or ()
    return {each["type"]: each for each in conditions if each["status"] == "True"}


def _message(status: Mapping[str, Any]) -> str:
    conditions = status.get("conditions") or ()
    return next((str(each.get("message") or "") for each in conditions if each["type"] == QUOTA_RESERVED), "")


def _flavors(admission: Mapping[str, Any]) -> tuple[str, ...]:
    assigned = admission.get("podSetAssignments") or ()
    return tuple(dict.fromkeys(name for each in assigned for name in (each.get("flavors") or {}).values()))


def _usage(workload: Manifest, admission: Mapping[str, Any]) -> dict[FlavorResource, int]:
    """Returns what a Workload holds: less than it was assigned once some of its pods are not needed any more."""
    counts = {each["name"]: int(each["count"]) for each in workload["spec"].get("podSets") or ()}
    for each in (workload.get("status") or {}).get("reclaimablePods") or ():
        counts[each["name"]] -= int(each["count"])
    usage: dict[FlavorResource, int] = {}
    for each in admission.get("podSetAssignments") or ():
        assigned = int(each.get("count", counts[each["name"]]))
        left = min(assigned, counts[each["name"]])
        for name, amount in parse_amounts(each.get("resourceUsage")).items():
            flavor = (each.get("flavors") or {}).get(name)
            if flavor is not None and assigned:
                usage[flavor, name] = usage.get((flavor, name), 0) + amount // assigned * left
    return usage
