from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from wavetank.cluster.objects.clusterapi import (
    API_VERSION,
    CAPACITY,
    DELETE_MACHINE,
    MACHINE_OF_NODE,
    MAX_SIZE,
    NAMESPACE_OF_NODE,
)
from wavetank.cluster.objects.groupkinds import MACHINE, MACHINE_SET, NODE
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.misimadapter.requests import Manifest

_PODS = "110"  # of a node whose machine set does not say


class InstantMachines:
    """Gives machine sets the machines they want; their nodes are ready at once, with the published adapter's names."""

    def __init__(self, store: Store) -> None:
        self.new_nodes: list[dict[str, Any]] = []
        self.deleted_nodes: list[dict[str, Any]] = []
        self._store = store
        self._count = 0
        store.subscribe(MACHINE_SET, modified=self._resized)

    def load(self, sets: list[Manifest], machines: list[Manifest]) -> None:
        """Creates machine sets and machines that are not there yet."""
        for manifest in sets:
            self._create(manifest)
        for manifest in machines:
            self._count += self._create(_controlled(manifest))

    def _create(self, manifest: Manifest) -> bool:
        resource = parse_resource(manifest, self._store.specs)
        is_new = self._store.find(resource.group_kind, resource.namespace, resource.name) is None
        if is_new:
            self._store.create(resource)
        return is_new

    def of_node(self, node: Manifest) -> Resource | None:
        """Returns the machine that a node belongs to: by reference, or by the same providerID."""
        name, provider = node["metadata"]["name"], (node.get("spec") or {}).get("providerID")
        for machine in self._store.list(MACHINE):
            spec, status = machine.manifest.get("spec") or {}, machine.manifest.get("status") or {}
            if (status.get("nodeRef") or {}).get("name") == name or (provider and spec.get("providerID") == provider):
                found: Resource = machine
                return found
        return None

    def can_grow(self) -> bool:
        """Returns whether a machine set is below its maximum."""
        return any(_replicas(each) < int(each.annotations.get(MAX_SIZE, "0")) for each in self._store.list(MACHINE_SET))

    def _resized(self, old: Resource, new: Resource) -> None:
        """Follows a machine set at the same instant, but after the loop of the autoscaler that changed it."""
        wanted = _replicas(new) - _replicas(old)
        if wanted:
            self._store.clock.at(self._store.clock.now, partial(self._follow, new, wanted))

    def _follow(self, machine_set: Resource, wanted: int) -> None:
        for _ in range(wanted):
            self._add(machine_set)
        if wanted < 0:
            self._remove(machine_set)

    def _add(self, machine_set: Resource) -> None:
        name = f"{machine_set.name}-machine-{self._count}"
        self._count += 1
        node = _node(name, machine_set.annotations)
        self.new_nodes.append(node)
        self._create(_machine(name, machine_set))
        self._create(annotated(node, machine_set.namespace, name))

    def _remove(self, machine_set: Resource) -> None:
        """Deletes the machines that the autoscaler has marked."""
        for machine in list(self._store.list(MACHINE)):
            owners = (machine.manifest.get("metadata") or {}).get("ownerReferences") or ()
            if DELETE_MACHINE in machine.annotations and any(owner["name"] == machine_set.name for owner in owners):
                name = ((machine.manifest.get("status") or {}).get("nodeRef") or {}).get("name", "")
                node = self._store.find(NODE, "", name)
                if node is not None:
                    self.deleted_nodes.append(node.render())
                    self._store.delete(node)
                self._store.delete(machine)


def annotated(node: Manifest, namespace: str, machine: str) -> Manifest:
    """Returns a node with the annotations by which the autoscaler finds its machine."""
    metadata = node["metadata"]
    names = {MACHINE_OF_NODE: machine, NAMESPACE_OF_NODE: namespace}
    return {**node, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), **names}}}


def _controlled(machine: Manifest) -> Manifest:
    """Returns a machine whose owner is marked as its controller, which clients leave out."""
    metadata = machine["metadata"]
    owners = [{**owner, "controller": True} for owner in metadata.get("ownerReferences") or ()]
    return {**machine, "metadata": {**metadata, "ownerReferences": owners}}


def _replicas(machine_set: Resource) -> int:
    return int((machine_set.manifest.get("spec") or {}).get("replicas") or 0)


def _machine(name: str, machine_set: Resource) -> dict[str, Any]:
    owner = {"apiVersion": API_VERSION, "kind": "MachineSet", "name": machine_set.name, "controller": True}
    return {
        "apiVersion": API_VERSION,
        "kind": "Machine",
        "metadata": {"name": name, "namespace": machine_set.namespace, "ownerReferences": [owner]},
        "spec": {"providerID": f"clusterapi://{name}"},
        "status": {"phase": "Running", "nodeRef": {"apiVersion": "v1", "kind": "Node", "name": f"{name}-node"}},
    }


def _node(machine: str, annotations: Mapping[str, str]) -> dict[str, Any]:
    keys = {"cpu": "cpu", "memory": "memory", "pods": "maxPods"}
    given = {name: annotations[CAPACITY + key] for name, key in keys.items() if CAPACITY + key in annotations}
    amounts = {"pods": _PODS, **given}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"{machine}-node"},
        "spec": {"providerID": f"clusterapi://{machine}"},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}],
            "allocatable": amounts,
            "capacity": amounts,
        },
    }
