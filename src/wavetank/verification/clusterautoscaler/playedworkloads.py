"""The workloads of a scenario: controllers that create and replace pods, and pods that live as it says."""

from __future__ import annotations

from functools import partial
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.verification.clusterautoscaler.recording import RecordedOptions

Json = dict[str, Any]

_API_VERSIONS = {
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "ReplicationController": "v1",
}
_HEADROOM: Nanoseconds = 3 * SECOND // 10
_ANSWER: Nanoseconds = 200  # how long the scheduler waits for an answer of the API server, as recorded
_TOLERATIONS = [{"operator": "Exists"}]


class PlayedWorkload:
    """One workload: its object, and its pods NAME-0001, NAME-0002, and so on."""

    def __init__(self, given: Json, store: Store, options: RecordedOptions) -> None:
        self._given = given
        self._store = store
        self._options = options
        self.name: str = given["name"]
        self.kind: str = given["kind"]
        self._namespace: str = given.get("namespace") or "default"
        self._numbers = 0
        self.replicas = 0
        self._owner: Json | None = None
        self._group_kind = ""  # of its object, if it has one
        if self.kind != "None":
            self._create_object()

    def _create_object(self) -> None:
        if self.kind not in _API_VERSIONS:  # a controller that the autoscaler does not know
            self._owner = {"apiVersion": "example.com/v1", "kind": self.kind, "name": self.name, "uid": self.name}
            self._owner["controller"] = True
            return
        template = {"metadata": {"labels": self._labels}, "spec": self._given["spec"]}
        spec: Json = {"replicas": 0, "selector": {"matchLabels": self._labels}, "template": template}
        if self.kind == "ReplicationController":
            spec["selector"] = self._labels
        document = {
            "apiVersion": _API_VERSIONS[self.kind],
            "kind": self.kind,
            "metadata": {"name": self.name, "namespace": self._namespace},
            "spec": spec,
        }
        created = parse_resource(document, self._store.specs)
        self._store.create(created)
        head = {"apiVersion": document["apiVersion"], "kind": self.kind, "name": self.name, "uid": created.uid}
        self._owner = {**head, "controller": True}
        self._group_kind = created.group_kind

    @property
    def _labels(self) -> Json:
        return {**self._given["labels"], "workload": self.name}

    @property
    def is_daemon_set(self) -> bool:
        """Returns whether there is a pod for each node."""
        return self.kind == "DaemonSet"

    # what the scenario asks for

    def scale(self, replicas: int) -> None:
        """Sets the number of pods."""
        self._set_replicas(replicas)
        self._fill()
        pods = self._active()
        order = sorted(pods, key=lambda pod: (bool(pod.node_name), -self._number(pod)))
        for pod in order[: max(len(pods) - replicas, 0)]:
            self._delete(pod)

    def add(self, number: int) -> None:
        """Creates more pods."""
        self._set_replicas(self.replicas + number)
        for _ in range(number):
            self._create()

    def add_to_node(self, node: str) -> None:
        """Creates the pod of a DaemonSet for a node that appears soon."""
        self._create(node)

    def fits(self, labels: Json, taints: list[Json]) -> bool:
        """Returns whether a DaemonSet runs on nodes with these labels and taints."""
        selector = self._given["spec"].get("nodeSelector") or {}
        tolerated = self._given["spec"].get("tolerations") or []
        hard = [taint for taint in taints if taint["effect"] != "PreferNoSchedule"]
        return all(labels.get(key) == value for key, value in selector.items()) and all(
            any(_tolerates(each, taint) for each in tolerated) for taint in hard
        )

    def _set_replicas(self, replicas: int) -> None:
        self.replicas = replicas
        if self._group_kind and not self.is_daemon_set:
            self._store.patch(self._group_kind, self._namespace, self.name, {"spec": {"replicas": replicas}})

    def replace(self) -> None:
        """Creates what is missing after pods were evicted or lost their node."""
        if self.kind not in ("None", "DaemonSet"):
            self._fill()

    def _fill(self) -> None:
        for _ in range(self.replicas - len(self._active())):
            self._create()

    # pods

    def _active(self) -> list[Pod]:
        pods: list[Pod] = [pod for pod in self._store.list(POD) if self.owns(pod)]
        return [pod for pod in pods if pod.deleted is None and not pod.finished]

    def owns(self, pod: Pod) -> bool:
        """Returns whether a pod belongs to this workload."""
        return pod.labels.get("workload") == self.name

    def _number(self, pod: Pod) -> int:
        return int(pod.name.rpartition("-")[2])

    def _create(self, node: str = "") -> None:
        self._numbers += 1
        spec = dict(self._given["spec"])
        if node:
            spec |= {"nodeName": node, "tolerations": _TOLERATIONS}
        metadata: Json = {
            "name": f"{self.name}-{self._numbers:04d}",
            "namespace": self._namespace,
            "labels": self._labels,
            "annotations": self._given["annotations"],
        }
        if self._owner is not None:
            metadata["ownerReferences"] = [self._owner]
        pod = Pod.parse({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, self._store.specs)
        self._store.create(pod)
        if node:
            self.bound(pod)

    def _delete(self, pod: Pod) -> None:
        self._store.evict(pod, "")

    # a pod's life

    def bound(self, pod: Pod, late: Nanoseconds = 0) -> None:
        """Lets a pod start, and end if it has an end; `late` is how long the scheduler took."""
        self._store.clock.after(self._options.start_ns + late, partial(self._start, pod))

    def _start(self, pod: Pod) -> None:
        present = self._find(pod)
        if present is None or present.deleted is not None:
            return
        new = present.copy()
        new.phase, new.started = RUNNING, self._store.clock.now
        self._store.update(new)
        if self._given.get("run_ns") is not None:
            self._store.clock.after(self._given["run_ns"], partial(self._finish, pod))

    def _finish(self, pod: Pod) -> None:
        present = self._find(pod)
        if present is not None and present.deleted is None:
            self._set_replicas(self.replicas - 1)
            self._store.delete(present)

    def terminating(self, pod: Pod, grace_s: int, late: Nanoseconds = 0) -> None:
        """Lets a pod that is being deleted go; `late` is how long the scheduler took."""
        term = self._given.get("term_ns", self._options.term_ns)
        self._store.clock.after(min(grace_s * SECOND + _HEADROOM, term) + late, partial(self._go, pod))

    def _go(self, pod: Pod) -> None:
        present = self._find(pod)
        if present is not None:
            self._store.delete(present)

    def _find(self, pod: Pod) -> Pod | None:
        found = self._store.find(POD, pod.namespace, pod.name)
        return found if isinstance(found, Pod) and found.uid == pod.uid else None


class PlayedWorkloads:
    """All workloads of a scenario, and their pods.

    The scheduler waits for the API server's answer when it marks a pod as unschedulable; what it binds or preempts
    afterwards at the same instant starts or ends a moment later than what it did before.
    """

    def __init__(self, given: list[Json], store: Store, options: RecordedOptions) -> None:
        self._store = store
        self._options = options
        self._by_name = {each["name"]: PlayedWorkload(each, store, options) for each in given}
        self._marks = 0  # of pods at the present instant
        self._marked_at: Nanoseconds = -1
        store.subscribe(POD, modified=self._pod_modified)
        store.subscribe(NODE, deleted=self._node_gone)

    def __getitem__(self, name: str) -> PlayedWorkload:
        return self._by_name[name]

    def expect_node(self, name: str, labels: Json, taints: list[Json], after: Nanoseconds) -> None:
        """Creates the pods of DaemonSets for a node that appears after some time, a moment before it."""
        for workload in self._by_name.values():
            if workload.is_daemon_set and workload.fits(labels, taints):
                delay = max(after - self._options.ds_ns, 0)
                self._store.clock.after(delay, partial(workload.add_to_node, name))

    def replace_later(self, pod: Pod) -> None:
        """Has a pod that was evicted replaced by its controller."""
        workload = self._by_name[pod.labels["workload"]]
        self._store.clock.after(self._options.recreate_ns, workload.replace)

    def delete_pod(self, name: str) -> None:
        """Deletes a pod."""
        for pod in self._store.list(POD):
            if pod.name == name:
                self._store.evict(pod, "")

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        workload = self._by_name[new.labels["workload"]]
        if self._marked_at != self._store.clock.now:
            self._marks, self._marked_at = 0, self._store.clock.now
        late = self._marks * _ANSWER
        if new.unschedulable and new.unschedulable != old.unschedulable:
            self._marks += 1
        if new.node_name and not old.node_name:
            workload.bound(new, late)
        if new.deleted is not None and old.deleted is None:
            grace = (new.deleted - self._store.clock.now) // SECOND
            workload.terminating(new, grace, late)

    def _node_gone(self, old: Node) -> None:
        for pod in self._store.list(POD):
            if pod.node_name == old.name:
                self._store.delete(pod)
                self.replace_later(pod)


def _tolerates(toleration: Json, taint: Json) -> bool:
    if (
        toleration.get("effect") not in (None, "", taint["effect"])
        or toleration.get("key", taint["key"]) != taint["key"]
    ):
        return False
    return toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", "")
