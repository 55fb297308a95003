from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from wavetank.cluster.objects.groupkinds import POD, WORKLOAD
from wavetank.cluster.objects.kueue import (
    ADMISSION_GATE,
    ADMITTED,
    EVICTED,
    FINISHED,
    GROUP,
    IN_USE,
    MANAGED,
    POD_GROUP_NAME,
    POD_GROUP_TOTAL_COUNT,
    POD_SET,
    QUEUE_NAME,
    QUOTA_RESERVED,
    RETRIABLE_IN_GROUP,
    TOPOLOGY_GATE,
    UNCONSTRAINED_TOPOLOGY,
    WORKLOAD_NAME,
)
from wavetank.cluster.objects.pod import SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.finalizers import remove_finalizer
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.jobs.priorities import PriorityClasses
from wavetank.controllers.kueue.jobs.workloads import make_workload, topology_request, with_flavors, workload_name
from wavetank.controllers.kueue.objects.conditions import WorkloadStatus
from wavetank.controllers.kueue.objects.flavors import Flavors
from wavetank.controllers.kueue.topology.topologies import is_placed
from wavetank.controllers.kueue.writer import Writer

_MAIN = "main"
_COMPONENT = "pod-kueue-controller"
_INDEX_LABEL = f"{GROUP}/pod-group-pod-index-label"  # names the label with the index of a pod in its group
_ROLE = 8  # characters of the name of a pod set in a group
# Fields of a pod's spec that make its role, beside its containers.
_SHAPE = (
    "affinity",
    "nodeSelector",
    "overhead",
    "resourceClaims",
    "runtimeClassName",
    "tolerations",
    "topologySpreadConstraints",
)

Document = dict[str, Any]


class QueuedPods:
    """Lets gated pods be scheduled when their Workload is admitted: one for each pod, or for a group of pods.

    A group gets its Workload when all its pods exist. Evicted pods are deleted, the Workload of a single pod with it;
    that of a group waits for other pods in their place. Quota of pods of a group that have succeeded is free at once.
    """

    def __init__(self, context: ControllerContext, writer: Writer, flavors: Flavors, classes: PriorityClasses) -> None:
        self._context = context
        self._store = context.store
        self._client = context.client
        self._writer = writer
        self._flavors = flavors
        self._classes = classes
        self._work = context.queue(self._reconcile)
        self._pods: dict[Key, dict[str, Pod]] = {}  # by (namespace, Workload) and uid, finished ones included
        self._total: dict[Key, int] = {}
        self._store.subscribe(POD, added=self._changed, modified=self._modified, deleted=self._gone)
        self._store.subscribe(WORKLOAD, modified=self._workload_modified)
        for pod in self._store.list(POD):
            self._changed(pod)

    # events

    def _changed(self, pod: Pod) -> None:
        if pod.labels.get(MANAGED) == "true" and pod.labels.get(QUEUE_NAME):
            key = self._key(pod)
            self._pods.setdefault(key, {})[pod.uid] = pod
            self._work.add(key)

    def _modified(self, old: Pod, new: Pod) -> None:
        if new.labels.get(MANAGED) == "true" and (new.phase is not old.phase or new.deleted != old.deleted):
            self._changed(new)

    def _gone(self, pod: Pod) -> None:
        key = self._key(pod)
        pods = self._pods.get(key)
        if pods is not None and pod.uid in pods:
            if not pod.finished:
                del pods[pod.uid]
            if not pods and key not in self._total:
                self._drop(key)
            self._work.add(key)

    def _workload_modified(self, old: Resource, new: Resource) -> None:
        if new.key in self._pods:
            self._work.add(new.key)

    def _key(self, pod: Pod) -> Key:
        group = pod.labels.get(POD_GROUP_NAME)
        return pod.namespace, group or workload_name("Pod", "", pod.name, pod.uid)

    # work

    def _reconcile(self, key: Key) -> None:
        pods = list(self._pods.get(key, {}).values())
        workload = self._store.find(WORKLOAD, *key)
        if workload is None:
            if pods and not all(pod.finished for pod in pods):
                self._create(key, pods)
            return
        status = self._writer.status_of(workload)
        if status.is_true(FINISHED):
            self._release(workload)
            return
        if self._is_finished(key, pods):
            self._finish(key, workload, status, pods)
        elif key in self._total and _reclaimable(pods) != (status.status.get("reclaimablePods") or []):
            status.status["reclaimablePods"] = _reclaimable(pods)
            self._writer.write(workload, status)
        elif status.is_true(EVICTED):
            self._stop(workload, status, pods)
        elif status.is_true(ADMITTED):
            self._start(workload, status, pods)

    def _drop(self, key: Key) -> None:
        """Deletes the Workload of a single pod that was deleted."""
        self._pods.pop(key, None)
        workload = self._store.find(WORKLOAD, *key)
        if workload is not None:
            remove_finalizer(self._client, workload, IN_USE)
            remaining = self._store.find(WORKLOAD, *key)
            if remaining is not None:
                self._client.delete(remaining)

    def _is_finished(self, key: Key, pods: Sequence[Pod]) -> bool:
        """Tells whether a pod has come to its end, or as many pods of a group have succeeded as it has.

        Failed pods of a group are to be replaced, unless one of them says that they are not.
        """
        ended = bool(pods) and all(pod.finished for pod in pods)
        if key not in self._total:
            return ended
        final = ended and any(pod.annotations.get(RETRIABLE_IN_GROUP) == "false" for pod in pods)
        return final or sum(pod.phase == SUCCEEDED for pod in pods) >= self._total[key]

    def _finish(self, key: Key, workload: Resource, status: WorkloadStatus, pods: Sequence[Pod]) -> None:
        succeeded = sum(pod.phase == SUCCEEDED for pod in pods)
        if key in self._total:
            status.finish("Succeeded", f"Pods succeeded: {succeeded}/{self._total[key]}.")
        else:
            status.finish("Succeeded" if succeeded else "Failed", "")
        self._writer.write(workload, status)

    def _create(self, key: Key, pods: Sequence[Pod]) -> None:
        first = pods[0]
        if POD_GROUP_NAME in first.labels:
            stated = first.annotations.get(POD_GROUP_TOTAL_COUNT, "")
            if not stated.isdecimal() or len(pods) < int(stated):
                return  # the group is not complete
            self._total[key] = int(stated)
        delay = self._classes.delay(first)
        if delay:
            self._work.add_after(key, delay)
            return
        pod_sets: dict[str, Document] = {}
        for pod in pods:
            name = _role(pod) if key in self._total else _MAIN
            asked = topology_request(pod.annotations, pod.annotations.get(_INDEX_LABEL, ""))
            made = {"name": name, "count": 0, "template": _template(pod), **asked}
            pod_sets.setdefault(name, made)["count"] += 1
        queue = first.labels[QUEUE_NAME]
        document = make_workload(self._store, first, key[1], queue, [pod_sets[name] for name in sorted(pod_sets)])
        owners = [controller_reference(pod) for pod in pods]
        if key in self._total:
            owners = [{**each, "controller": False, "blockOwnerDeletion": False} for each in owners]
        document["metadata"]["ownerReferences"] = owners
        self._client.create(document)
        self._context.record_event(first, "Normal", "CreatedWorkload", f"Created Workload: {'/'.join(key)}", _COMPONENT)

    def _start(self, workload: Resource, status: WorkloadStatus, pods: Sequence[Pod]) -> None:
        """Lets the pods of an admitted Workload be scheduled, on nodes of their flavors."""
        admission = status.status["admission"]
        assigned = {each["name"]: each for each in admission["podSetAssignments"]}
        for pod in pods:
            present = self._store.find(POD, *pod.key)
            if not isinstance(present, Pod) or present.uid != pod.uid or ADMISSION_GATE not in present.gates:
                continue
            role = _MAIN if _MAIN in assigned else _role(present)
            flavors = self._flavors.assigned(assigned[role].get("flavors") if role in assigned else None)
            template = with_flavors({"spec": present.spec.manifest}, flavors, {})
            new = present.copy()
            new.gates = tuple(each for each in present.gates if each != ADMISSION_GATE)
            new.spec = self._store.specs.intern(template["spec"])
            new.set_labels({**present.labels, POD_SET: role})
            if role in assigned and assigned[role].get("topologyAssignment"):
                new.gates = (*new.gates, TOPOLOGY_GATE)
                anywhere = {} if is_placed(present) else {UNCONSTRAINED_TOPOLOGY: "true"}
                annotations = {**present.annotations, **anywhere, WORKLOAD_NAME: workload.name}
                new.manifest = {**new.manifest, "metadata": {**new.manifest["metadata"], "annotations": annotations}}
            self._store.update(new)
            said = f"Admitted by clusterQueue {admission['clusterQueue']}"
            self._context.record_event(new, "Normal", "Started", said, _COMPONENT)

    def _stop(self, workload: Resource, status: WorkloadStatus, pods: Sequence[Pod]) -> None:
        """Deletes the pods of an evicted Workload; its quota is free when they are gone."""
        active = [pod for pod in pods if not pod.finished and ADMISSION_GATE not in pod.gates]
        if workload.key in self._total:
            workload = self._disown(workload, active)
        for pod in active:
            present = self._store.find(POD, *pod.key)
            if isinstance(present, Pod) and present.deleted is None and ADMISSION_GATE not in present.gates:
                self._store.evict(present, "Preempted")
        left = [self._store.find(POD, *pod.key) for pod in active]
        if status.is_true(QUOTA_RESERVED) and not any(each is not None for each in left):
            evicted = status.get(EVICTED)
            assert evicted is not None
            status.requeued(evicted["reason"] == "Preempted", evicted["reason"], evicted["message"])
            status.unreserve("Pending", evicted["message"])
            self._writer.write(workload, status)

    def _disown(self, workload: Resource, pods: Sequence[Pod]) -> Resource:
        """Removes pods from the owners of a group's Workload, which is to outlive them; returns its new version.

        Kueue keeps such pods by a finalizer instead.
        """
        document, gone = workload.render(), {pod.uid for pod in pods}
        owners = document["metadata"].get("ownerReferences") or []
        kept = [each for each in owners if each["uid"] not in gone]
        if len(kept) == len(owners):
            return workload
        document["metadata"] = {**document["metadata"], "ownerReferences": kept}
        return self._client.update(workload, document)

    def _release(self, workload: Resource) -> None:
        self._pods.pop(workload.key, None)
        self._total.pop(workload.key, None)
        remove_finalizer(self._client, workload, IN_USE)


def _reclaimable(pods: Sequence[Pod]) -> list[Document]:
    """Returns how many pods of each role of a group are not needed any more."""
    counts = Counter(_role(pod) for pod in pods if pod.phase == SUCCEEDED)
    return [{"name": name, "count": count} for name, count in counts.items()]


def _template(pod: Pod) -> Document:
    spec = {field: value for field, value in pod.spec.manifest.items() if field != "nodeName"}
    labels = {name: value for name, value in pod.labels.items() if name != MANAGED}
    return {"metadata": {"labels": labels}, "spec": spec}


def _role(pod: Pod) -> str:
    """Returns the name that pods of a group share if quota and nodes are the same for them, as Kueue makes it."""
    stated = pod.annotations.get("kueue.x-k8s.io/role-hash") or pod.labels.get(POD_SET)
    if stated:
        return stated
    spec = pod.spec.manifest
    shape: Document = {field: spec.get(field) for field in _SHAPE}
    for field in ("containers", "initContainers"):
        shape[field] = [_container(each) for each in spec.get(field) or ()] or None
    shape["priority"] = pod.priority if spec.get("priorityClassName") else spec.get("priority")
    text = json.dumps({"spec": shape}, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_ROLE]


def _container(container: Document) -> Document:
    requests = (container.get("resources") or {}).get("requests")
    return {"ports": container.get("ports"), "resources": {"requests": requests}}
