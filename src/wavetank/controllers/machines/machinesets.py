"""The controllers of MachineDeployments and MachineSets: they keep as many machines as are wanted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from wavetank.cluster.objects.clusterapi import API_VERSION, CLUSTER_NAME, DELETE_MACHINE, GROUP
from wavetank.cluster.objects.groupkinds import MACHINE, MACHINE_DEPLOYMENT, MACHINE_SET, GroupKind
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key

SERIAL = "wavetank.dev/machine-serial"
FINALIZER = f"machine.{GROUP}"


class _SizeController(ABC):
    """Syncs objects of a kind whose size is `spec.replicas`, when they come and when they change."""

    def __init__(self, context: ControllerContext, kind: GroupKind) -> None:
        self._context = context
        self._queue = context.queue(self._sync)
        context.store.subscribe(kind, added=self._changed, modified=self._modified)
        for present in context.store.list(kind):
            self._changed(present)

    def _changed(self, new: Resource) -> None:
        self._queue.add(new.key)

    def _modified(self, old: Resource, new: Resource) -> None:
        if wanted(new) < wanted(old):
            self._sync(new.key)  # at once: if the size rises again at this instant, the marked machine must still go
        else:
            self._queue.add(new.key)

    @abstractmethod
    def _sync(self, key: Key) -> None: ...


class MachineDeployments(_SizeController):
    """Gives each MachineDeployment one MachineSet of the same size.

    A size that others give to the MachineSet becomes that of the deployment, so that either can be scaled. In Cluster
    API the deployment would undo it.
    """

    def __init__(self, context: ControllerContext) -> None:
        super().__init__(context, MACHINE_DEPLOYMENT)
        context.store.subscribe(MACHINE_SET, modified=self._set_modified)

    def _set_modified(self, old: Resource, new: Resource) -> None:
        for owner in (new.manifest.get("metadata") or {}).get("ownerReferences") or ():
            key = (new.namespace, str(owner["name"]))
            if wanted(new) != wanted(old):
                self._adopt_size(key, wanted(old), wanted(new))
            self._queue.add(key)

    def _adopt_size(self, key: Key, before: int, size: int) -> None:
        """Takes over a size of the MachineSet, unless it is the deployment's own that the set has just got."""
        deployment = self._context.store.find(MACHINE_DEPLOYMENT, *key)
        if deployment is not None and wanted(deployment) == before:
            document = deployment.render()
            document["spec"] = {**document["spec"], "replicas": size}
            self._context.client.update(deployment, document)

    def _sync(self, key: Key) -> None:
        deployment = self._context.store.find(MACHINE_DEPLOYMENT, *key)
        if deployment is None:
            return
        replicas = wanted(deployment)
        machine_set = self._context.store.find(MACHINE_SET, *key)
        if machine_set is None:
            spec = {**(deployment.manifest.get("spec") or {}), "replicas": replicas}
            self._context.client.create(_owned(deployment, "MachineSet", deployment.name, spec))
        elif wanted(machine_set) != replicas:
            document = machine_set.render()
            document["spec"] = {**document["spec"], "replicas": replicas}
            self._context.client.update(machine_set, document)
        elif _status(machine_set) != _status(deployment):
            self._context.client.update_status(deployment, {**_status(machine_set)})


class MachineSets(_SizeController):
    """Creates and deletes the machines of MachineSets.

    Machines are named NAME-001, NAME-002, and so on. When there are too many, those with the annotation delete-machine
    go first, then the newest.
    """

    def __init__(self, context: ControllerContext) -> None:
        super().__init__(context, MACHINE_SET)
        self._serials: dict[Key, int] = {}
        context.store.subscribe(
            MACHINE, modified=lambda old, new: self._machine_changed(new), deleted=self._machine_changed
        )

    def _machine_changed(self, machine: Resource) -> None:
        for owner in (machine.manifest.get("metadata") or {}).get("ownerReferences") or ():
            self._queue.add((machine.namespace, str(owner["name"])))

    def _sync(self, key: Key) -> None:
        machine_set = self._context.store.find(MACHINE_SET, *key)
        if machine_set is None:
            return
        owned = self._context.owned(MACHINE).of(machine_set.uid)
        active = [machine for machine in owned if machine.deleted is None]
        for _ in range(wanted(machine_set) - len(active)):
            self._create(machine_set)
        surplus = sorted(active, key=_by_deletion)[: max(len(active) - wanted(machine_set), 0)]
        for machine in surplus:
            self._context.client.delete(machine)
        self._update_status(machine_set)

    def _create(self, machine_set: Resource) -> None:
        serial = self._serials[machine_set.key] = self._serials.get(machine_set.key, 0) + 1
        template = (machine_set.manifest.get("spec") or {}).get("template") or {}
        document = _owned(machine_set, "Machine", f"{machine_set.name}-{serial:03d}", template.get("spec") or {})
        metadata = document["metadata"]
        metadata["labels"] = (template.get("metadata") or {}).get("labels") or {}
        metadata["annotations"] = {SERIAL: str(serial)}
        metadata["finalizers"] = [FINALIZER]
        self._context.client.create(document)

    def _update_status(self, machine_set: Resource) -> None:
        machines = [each for each in self._context.owned(MACHINE).of(machine_set.uid) if each.deleted is None]
        ready = sum(bool((each.manifest.get("status") or {}).get("nodeRef")) for each in machines)
        status = {"replicas": len(machines), "readyReplicas": ready, "availableReplicas": ready}
        present = self._context.store.find(MACHINE_SET, *machine_set.key)
        if present is not None and _status(present) != status:
            self._context.client.update_status(present, status)


def wanted(resource: Resource) -> int:
    """Returns spec.replicas."""
    return int((resource.manifest.get("spec") or {}).get("replicas") or 0)


def _status(resource: Resource) -> dict[str, Any]:
    return resource.manifest.get("status") or {}


def _by_deletion(machine: Resource) -> tuple[bool, int]:
    return DELETE_MACHINE not in machine.annotations, -int(machine.annotations[SERIAL])


def _owned(owner: Resource, kind: str, name: str, spec: Any) -> dict[str, Any]:
    reference = {"apiVersion": API_VERSION, "kind": owner.manifest_kind, "name": owner.name, "uid": owner.uid}
    metadata: dict[str, Any] = {"name": name, "namespace": owner.namespace}
    metadata["ownerReferences"] = [{**reference, "controller": True}]
    if CLUSTER_NAME in owner.labels:
        metadata["labels"] = {CLUSTER_NAME: owner.labels[CLUSTER_NAME]}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
