"""Node groups as Cluster API objects: MachineDeployments and MachineSets with limits in their annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from wavetank.cluster.objects.clusterapi import (
    DELETE_MACHINE,
    GROUP,
    MACHINE_OF_NODE,
    MAX_SIZE,
    MIN_SIZE,
    NAMESPACE_OF_NODE,
    PRICE,
)
from wavetank.cluster.objects.groupkinds import MACHINE, MACHINE_DEPLOYMENT, MACHINE_SET
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.clusterautoscaler.options import GroupOptions, Options
from wavetank.controllers.framework.context import ControllerContext

CREATING, RUNNING, DELETING = "creating", "running", "deleting"


class SizeError(Exception):
    """A group cannot have the wanted size."""


class Instance(NamedTuple):
    """A machine as the cloud lists it: its id, whether it is creating, running or deleting, and its error."""

    id: str
    state: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """One node group at one instant; `id` is KIND/NAMESPACE/NAME, `target` its wanted size."""

    id: str
    resource: Resource
    min_size: int
    max_size: int
    target: int
    options: GroupOptions
    price: float | None = None

    @property
    def name(self) -> str:
        """Returns the name of the object."""
        return self.resource.name


class NodeGroups:
    """Reads and changes the node groups of a cluster; an object without limits, or with equal ones, is no group."""

    def __init__(self, context: ControllerContext, options: Options) -> None:
        self._store = context.store
        self._client = context.client
        self._options = options
        self._group_of: dict[tuple[str, str], str] = {}  # by the key of a machine
        self._machines: dict[str, dict[tuple[str, str], Resource]] = {}  # by group
        self._instances: dict[str, dict[tuple[str, str], Instance]] = {}
        self._groups: dict[str, NodeGroup] = {}
        self._read_at = -1  # the version of the store
        self._store.subscribe(MACHINE, self)
        for machine in self._store.list(MACHINE):
            self.added(machine)

    # what the store tells

    def added(self, new: Resource) -> None:
        """Finds the group of a new machine."""
        self._group_of[new.key] = self._owner(new)
        self._keep(new)

    def modified(self, old: Resource, new: Resource) -> None:
        """Keeps the new version of a machine."""
        self._keep(new)

    def deleted(self, old: Resource) -> None:
        """Forgets a machine."""
        group = self._group_of.pop(old.key)
        del self._machines[group][old.key], self._instances[group][old.key]

    def _keep(self, machine: Resource) -> None:
        group = self._group_of[machine.key]
        self._machines.setdefault(group, {})[machine.key] = machine
        self._instances.setdefault(group, {})[machine.key] = _instance(machine)

    def _owner(self, machine: Resource) -> str:
        owner = _owner_of(machine)
        if owner is None:
            return ""
        machine_set = self._store.find(MACHINE_SET, machine.namespace, owner)
        above = _owner_of(machine_set) if machine_set is not None else None
        return (
            _identify("MachineDeployment", machine.namespace, above)
            if above
            else _identify("MachineSet", machine.namespace, owner)
        )

    # reading

    def all(self) -> dict[str, NodeGroup]:
        """Returns all groups by id, as they are now."""
        if self._read_at != self._store.version:
            self._read_at = self._store.version
            resources = [*self._store.list(MACHINE_DEPLOYMENT), *self._store.list(MACHINE_SET)]
            found = (self._read(resource) for resource in resources)
            self._groups = {group.id: group for group in found if group is not None}
        return self._groups

    def _read(self, resource: Resource) -> NodeGroup | None:
        if resource.group_kind == MACHINE_SET and _owner_of(resource) is not None:
            return None
        least, most = _limit(resource, MIN_SIZE), _limit(resource, MAX_SIZE)
        if most - least < 1:
            return None
        price = resource.annotations.get(PRICE)
        return NodeGroup(
            _identify(resource.manifest_kind, resource.namespace, resource.name),
            resource,
            least,
            most,
            int((resource.manifest.get("spec") or {}).get("replicas") or 0),
            self._options.group.overridden(resource.annotations),
            None if price is None else float(price),
        )

    def of_node(self, node: Node) -> NodeGroup | None:
        """Returns the group of a node, or None."""
        return self.all().get(self.id_of(node))

    def id_of(self, node: Node) -> str:
        """Returns the id of the object that a node's machine belongs to, or an empty string."""
        key = machine_key(node)
        return "" if key is None else self._group_of.get(key, "")

    def has_instance(self, node: Node) -> bool:
        """Returns whether there is a machine for a node."""
        return machine_key(node) in self._group_of

    def instances(self, group: str) -> list[Instance]:
        """Returns the machines of a group; one that is being created has an id of its own."""
        return list(self._instances.get(group, {}).values())

    # writing

    def set_size(self, group: NodeGroup, size: int) -> None:
        """Asks for a size; ApiError if that is refused."""
        resource = group.resource
        scale = self._client.get_scale(GROUP, resource.manifest_kind, resource.namespace, resource.name)
        self._client.update_scale(scale, size)

    def delete_instance(self, group_id: str, instance: str) -> None:
        """Marks a machine for deletion and lowers the size of its group by one.

        SizeError if the group is at its minimum; ApiError if a request is refused.
        """
        group = self.all()[group_id]
        if group.target - 1 < group.min_size:
            raise SizeError(f"unable to delete 1 machines in {group_id!r}, machine replicas are {group.target!r}")
        machine = next((each for each in self._machines[group_id].values() if _instance(each).id == instance), None)
        if machine is None or machine.deleted is not None or DELETE_MACHINE in machine.annotations:
            return
        document = machine.render()
        metadata = document["metadata"]
        metadata["annotations"] = {**(metadata.get("annotations") or {}), DELETE_MACHINE: "true"}
        self._client.update(machine, document)
        self.set_size(group, group.target - 1)


def machine_key(node: Node) -> tuple[str, str] | None:
    """Returns the namespace and name of a node's machine, or None."""
    name = node.annotations.get(MACHINE_OF_NODE)
    return None if name is None else (node.annotations.get(NAMESPACE_OF_NODE, "default"), name)


def instance_id(node: Node) -> str:
    """Returns the id under which a cloud lists a node."""
    return str((node.manifest.get("spec") or {}).get("providerID") or "")


def _instance(machine: Resource) -> Instance:
    spec, status = machine.manifest.get("spec") or {}, machine.manifest.get("status") or {}
    name = f"{machine.namespace}_{machine.name}"
    if machine.deleted is not None:
        return Instance(str(spec.get("providerID") or f"deleting-machine-{name}"), DELETING)
    if status.get("failureMessage"):
        return Instance(f"failed-machine-{name}", CREATING, str(status["failureMessage"]))
    if not spec.get("providerID"):
        return Instance(f"pending-machine-{name}", CREATING)
    return Instance(str(spec["providerID"]), RUNNING)


def _identify(kind: str, namespace: str, name: str) -> str:
    return f"{kind}/{namespace}/{name}"


def _owner_of(resource: Resource) -> str | None:
    owners: list[Mapping[str, Any]] = (resource.manifest.get("metadata") or {}).get("ownerReferences") or []
    return next((str(owner["name"]) for owner in owners if owner.get("controller")), None)


def _limit(resource: Resource, annotation: str) -> int:
    text = resource.annotations.get(annotation, "0")
    return int(text) if text.isdigit() else 0
