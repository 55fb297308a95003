"""The cluster of a scenario: machines that boot and halt as it says, disruption budgets, refused requests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.fields.taints import Taint
from wavetank.cluster.objects.clusterapi import API_VERSION, CAPACITY, MAX_SIZE, MIN_SIZE
from wavetank.cluster.objects.groupkinds import (
    CONFIG_MAP,
    MACHINE,
    MACHINE_SET,
    NODE,
    POD,
    POD_DISRUPTION_BUDGET,
)
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.controllers.machines.provider import Boot
from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.clusterautoscaler.playedworkloads import PlayedWorkloads
from wavetank.verification.clusterautoscaler.recording import RecordedInputs

Json = dict[str, Any]

_UNREACHABLE = Taint("node.kubernetes.io/unreachable", "", "NoSchedule")
_PLATFORM = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}


class RefusedError(ApiError):
    """A request that the scenario refuses."""

    def __init__(self, code: int) -> None:
        super().__init__({403: "Forbidden", 500: "InternalError"}.get(code, "refused"))
        self.code = code
        self.reason = {403: "Forbidden", 409: "Conflict", 429: "TooManyRequests"}.get(code, "InternalError")


class PlayedCloud:
    """Boots and halts machines by the scenario's times; those of the start are there at once.

    With `initial` their nodes appear in this order, a nanosecond after one another.
    """

    def __init__(
        self, inputs: RecordedInputs, store: Store, workloads: PlayedWorkloads, initial: Sequence[str] = ()
    ) -> None:
        self._groups = {group["name"]: dict(group) for group in inputs.groups}
        self._halt = inputs.options.halt_ns
        self._initial = {name: place for place, name in enumerate(initial)}
        self._store = store
        self._workloads = workloads

    def boot(self, machine: Resource, serial: int) -> Boot | None:
        """Returns when a machine becomes a node."""
        group = self._group(machine)
        initial = serial <= group["initial"] and self._store.clock.now == 0
        after = (
            self._initial.get(machine.name, 0)
            if initial
            else (group.get("boots") or {}).get(str(serial), group["boot_ns"])
        )
        if after is None:
            return None
        labels = group.get("labels") or {}
        self._workloads.expect_node(machine.name, labels, group.get("taints") or [], after)
        return Boot(after, 0 if initial else group.get("ready_ns") or 0)

    def halt(self, machine: Resource) -> Nanoseconds:
        """Returns when a machine's node is gone; at once if it has none."""
        return self._halt if self._store.find(NODE, "", machine.name) is not None else 0

    def node(self, machine: Resource) -> Mapping[str, Any]:
        """Returns the node of a machine."""
        group = self._group(machine)
        return node_of(machine.name, group)

    def change(self, name: str, changes: Json) -> None:
        """Changes the times of a group."""
        self._groups[name] |= changes

    def _group(self, machine: Resource) -> Json:
        return self._groups[machine.name.rpartition("-")[0]]


def node_of(name: str, given: Json) -> Json:
    """Returns a node with the capacity, labels and taints that are given."""
    amounts = {"pods": "110", **given["capacity"]}
    return {
        "metadata": {"labels": {**_PLATFORM, "kubernetes.io/hostname": name, **(given.get("labels") or {})}},
        "spec": {"taints": given["taints"]} if given.get("taints") else {},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def group_object(given: Json) -> Json:
    """Returns the MachineDeployment or MachineSet of a group."""
    announced = {"cpu": given["capacity"]["cpu"], "memory": given["capacity"]["memory"]}
    if "pods" in given["capacity"]:
        announced["maxPods"] = given["capacity"]["pods"]
    if given.get("labels"):
        announced["labels"] = ",".join(f"{key}={value}" for key, value in given["labels"].items())
    if given.get("taints"):
        texts = (f"{each['key']}={each.get('value', '')}:{each['effect']}" for each in given["taints"])
        announced["taints"] = ",".join(texts)
    annotations = {
        MIN_SIZE: str(given["min"]),
        MAX_SIZE: str(given["max"]),
        **{CAPACITY + key: str(value) for key, value in announced.items()},
        **(given.get("annotations") or {}),
    }
    return {
        "apiVersion": API_VERSION,
        "kind": given["kind"],
        "metadata": {"name": given["name"], "namespace": "default", "annotations": annotations},
        "spec": {"replicas": given["initial"], "template": {"metadata": {"labels": {"group": given["name"]}}}},
    }


class PlayedBudgets:
    """Keeps the status of disruption budgets up to date, and evicts pods as they allow; `granted` notes which."""

    def __init__(
        self,
        store: Store,
        workloads: PlayedWorkloads,
        client: FaultyClient,
        granted: list[tuple[Nanoseconds, str]],
    ) -> None:
        self._store = store
        self._workloads = workloads
        self._client = client
        self._granted = granted
        store.subscribe(POD, added=self._changed, modified=lambda old, new: self._changed(new), deleted=self._changed)
        store.subscribe(POD_DISRUPTION_BUDGET, added=self._changed)

    def evict(self, pod: Pod, grace_s: int) -> None:
        """Evicts a pod; RefusedError if the scenario or its budget does not allow it."""
        self._client.check("POST", f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}/eviction")
        for budget in self._store.list(POD_DISRUPTION_BUDGET):
            covers = budget.namespace == pod.namespace and budget.selector.matches(pod.labels)
            if covers and self._allowed(budget) < 1:
                raise RefusedError(429)
        self._store.evict(pod, "", grace_s)
        self._granted.append((self._store.clock.now, pod.name))
        self._workloads.replace_later(pod)

    def _changed(self, resource: Resource) -> None:
        for budget in self._store.list(POD_DISRUPTION_BUDGET):
            allowed = self._allowed(budget)
            if allowed != budget.disruptions_allowed:
                status = {"disruptionsAllowed": allowed}
                self._store.patch(POD_DISRUPTION_BUDGET, budget.namespace, budget.name, {"status": status})

    def _allowed(self, budget: Resource) -> int:
        spec = budget.manifest.get("spec") or {}
        selector = LabelSelector.parse(spec.get("selector"))
        pods = [pod for pod in self._store.list(POD) if _is_under(pod, budget.namespace, selector)]
        total = len(pods)
        healthy = sum(pod.phase == "Running" and pod.deleted is None for pod in pods)
        if "maxUnavailable" in spec:
            needed = total - _figure(spec["maxUnavailable"], total)
        else:
            needed = _figure(spec.get("minAvailable", 1), total)
        return max(int(healthy) - needed, 0)


def _is_under(pod: Pod, namespace: str, selector: LabelSelector) -> bool:
    return pod.namespace == namespace and not pod.finished and selector.matches(pod.labels)


def _figure(value: int | str, total: int) -> int:
    if isinstance(value, str) and value.endswith("%"):
        return -(-total * int(value[:-1]) // 100)
    return int(value)


class FaultyClient(StoreClient):
    """A client some of whose requests are refused, by method and path, until a time."""

    def __init__(self, store: Store, *args: Any) -> None:
        super().__init__(store, *args)
        self._clock = store.clock
        self._faults: list[tuple[str, re.Pattern[str], int, Nanoseconds]] = []

    def refuse(self, method: str, path: str, code: int, duration: Nanoseconds) -> None:
        """Refuses such requests for some time."""
        self._faults.append((method, re.compile(path), code, self._clock.now + duration))

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Sets the size of a group."""
        kind, name = scale.of.manifest_kind.lower(), scale.of.name
        self.check("PATCH", f"/apis/{API_VERSION}/namespaces/{scale.of.namespace}/{kind}s/{name}/scale")
        super().update_scale(scale, replicas)

    def update(self, old: Resource, document: dict[str, Any]) -> Resource:
        """Replaces an object."""
        if old.group_kind == NODE:
            self.check("PUT", f"/api/v1/nodes/{old.name}")
        elif old.group_kind == MACHINE:
            self.check("PUT", f"/apis/{API_VERSION}/namespaces/{old.namespace}/machines/{old.name}")
        return super().update(old, document)

    def check(self, method: str, path: str) -> None:
        """Lets a request pass; RefusedError if the scenario refuses it."""
        for refused, pattern, code, until in self._faults:
            if refused == method and self._clock.now < until and pattern.search(path):
                raise RefusedError(code)


class PlayedEvents:
    """Plays the events of a scenario."""

    def __init__(self, store: Store, workloads: PlayedWorkloads, cloud: PlayedCloud, client: FaultyClient) -> None:
        self._store = store
        self._workloads = workloads
        self._cloud = cloud
        self._client = client

    def plan(self, events: list[tuple[Nanoseconds, str, Json]]) -> None:
        """Sets a timer for each event."""
        for time, what, args in events:
            due = max(time, self._store.clock.now)
            self._store.clock.at(due, partial(getattr(self, f"_{what.replace('.', '_')}"), **args))

    def _scale(self, workload: str, replicas: int) -> None:
        self._workloads[workload].scale(replicas)

    def _add(self, workload: str, n: int) -> None:
        self._workloads[workload].add(n)

    def _pod_delete(self, name: str) -> None:
        self._workloads.delete_pod(name)

    def _pdb_create(self, name: str, spec: Json, namespace: str = "default") -> None:
        metadata = {"name": name, "namespace": namespace}
        document = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
        self._store.create(parse_resource(document, self._store.specs))

    def _pdb_delete(self, name: str, namespace: str = "default") -> None:
        self._store.delete(self._store.get(POD_DISRUPTION_BUDGET, namespace, name))

    def _configmap(self, name: str, data: Json | None) -> None:
        old = self._store.find(CONFIG_MAP, "kube-system", name)
        if old is not None:
            self._store.delete(old)
        if data is not None:
            metadata = {"name": name, "namespace": "kube-system"}
            document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
            self._store.create(parse_resource(document, self._store.specs))

    def _node_ready(self, name: str, ready: bool) -> None:
        node = self._store.find(NODE, "", name)
        if isinstance(node, Node):
            new = node.copy()
            new.ready = ready
            others = tuple(taint for taint in node.taints if taint.key != _UNREACHABLE.key)
            new.taints = others if ready else (*others, _UNREACHABLE)
            self._store.update(new)

    def _node_annotate(self, name: str, annotations: Json) -> None:
        if self._store.find(NODE, "", name) is not None:
            self._store.patch(NODE, "", name, {"metadata": {"annotations": annotations}})

    def _machine_fail(self, name: str, message: str) -> None:
        machine = self._store.find(MACHINE, "default", name)
        if machine is not None:
            self._client.update_status(machine, {"failureMessage": message})

    def _group_set(self, name: str, **changes: Any) -> None:
        limits = {MIN_SIZE: changes.pop("min", None), MAX_SIZE: changes.pop("max", None)}
        texts = {key: str(value) for key, value in limits.items() if value is not None}
        for kind in ("MachineDeployment.cluster.x-k8s.io", MACHINE_SET):
            found = self._store.find(kind, "default", name)
            if found is not None and texts:
                self._store.patch(kind, "default", name, {"metadata": {"annotations": texts}})
                break
        self._cloud.change(name, changes)

    def _fault(self, method: str, path: str, code: int, for_ns: Nanoseconds) -> None:
        self._client.refuse(method, path, code, for_ns)
