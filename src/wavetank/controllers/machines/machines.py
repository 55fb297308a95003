from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from wavetank.cluster.objects.clusterapi import CLUSTER_NAME, MACHINE_OF_NODE, NAMESPACE_OF_NODE
from wavetank.cluster.objects.groupkinds import MACHINE, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.machines.machinesets import SERIAL
from wavetank.controllers.machines.provider import MachineProvider, NoTemplateError

_COMPONENT = "wavetank-machines"
_NOT_READY = {"type": "Ready", "status": "False", "reason": "KubeletNotReady"}
_TAINT = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
_READY = {"type": "Ready", "status": "True", "reason": "KubeletReady"}


class Machines:
    """Lets machines become nodes after their boot time, and takes nodes away some time after their machines.

    A machine has neither a providerID nor a nodeRef until its node exists.
    """

    def __init__(self, context: ControllerContext, provider: MachineProvider) -> None:
        self._context = context
        self._clock = context.clock
        self._provider = provider
        context.store.subscribe(MACHINE, added=self._added, modified=self._modified)
        for machine in context.store.list(MACHINE):
            self._added(machine)

    def _added(self, machine: Resource) -> None:
        serial = machine.annotations.get(SERIAL, "")
        try:
            boot = self._provider.boot(machine, int(serial) if serial.isdigit() else 0)
        except NoTemplateError as error:
            self._fail(machine, str(error))
            return
        if boot is not None:
            self._clock.after(boot.node_after, partial(self._register, machine.key, boot.ready_after))

    def _fail(self, machine: Resource, why: str) -> None:
        """Writes that a machine never becomes a node."""
        self._context.record_event(machine, "Warning", "FailedCreate", why, _COMPONENT)
        status = {"phase": "Failed", "failureReason": "CreateError", "failureMessage": why}
        self._context.client.update_status(machine, status)

    def _modified(self, old: Resource, new: Resource) -> None:
        if new.deleted is not None and old.deleted is None:
            self._clock.after(self._provider.halt(new), partial(self._remove, new.key))

    def _register(self, key: tuple[str, str], ready_after: int) -> None:
        machine = self._context.store.find(MACHINE, *key)
        if (
            machine is None
            or machine.deleted is not None
            or (machine.manifest.get("status") or {}).get("failureMessage")
        ):
            return
        given = self._provider.node(machine)
        metadata, status = given.get("metadata") or {}, given.get("status") or {}
        provider_id = f"wavetank://{machine.namespace}/{machine.name}"
        of_cluster = {CLUSTER_NAME: machine.labels[CLUSTER_NAME]} if CLUSTER_NAME in machine.labels else {}
        annotations = {
            **(metadata.get("annotations") or {}),
            **of_cluster,
            MACHINE_OF_NODE: machine.name,
            NAMESPACE_OF_NODE: machine.namespace,
        }
        document = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {**metadata, "name": machine.name, "annotations": annotations},
            "spec": _spec(given.get("spec") or {}, provider_id, bool(ready_after)),
            "status": {**status, "conditions": [_NOT_READY if ready_after else _READY]},
        }
        self._bind(machine, provider_id)
        self._context.client.create(document)
        if ready_after:
            self._clock.after(ready_after, partial(self._make_ready, machine.name))

    def _bind(self, machine: Resource, provider_id: str) -> None:
        """Writes into a machine which node it has become."""
        document = machine.render()
        document["spec"] = {**(document.get("spec") or {}), "providerID": provider_id}
        bound = self._context.client.update(machine, document)
        self._context.client.update_status(bound, {"phase": "Running", "nodeRef": {"kind": NODE, "name": machine.name}})

    def _make_ready(self, name: str) -> None:
        node = self._context.store.find(NODE, "", name)
        if isinstance(node, Node) and not node.ready:
            new = node.copy()
            new.ready = True
            new.taints = tuple(taint for taint in node.taints if taint.key != _TAINT["key"])
            self._context.store.update(new)

    def _remove(self, key: tuple[str, str]) -> None:
        machine = self._context.store.find(MACHINE, *key)
        if machine is None:
            return
        node = self._context.store.find(NODE, "", machine.name)
        if node is not None:
            self._context.client.delete(node)
        document = machine.render()
        document["metadata"] = {**document["metadata"], "finalizers": []}
        self._context.client.update(machine, document)


def _spec(given: Mapping[str, Any], provider_id: str, unready: bool) -> dict[str, Any]:
    taints = [*(given.get("taints") or []), *([_TAINT] if unready else [])]
    return {**given, "providerID": provider_id, **({"taints": taints} if taints else {})}
