"""The life of NodeClaims: launch, registration, initialization, expiry, deletion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from wavetank.cluster.fields.resources import format_amounts
from wavetank.cluster.objects.clusterapi import INTERRUPTED
from wavetank.cluster.objects.groupkinds import NODE, NODE_CLAIM, NODE_POOL
from wavetank.cluster.objects.karpenter import (
    API_VERSION,
    CAPACITY_TYPE,
    INITIALIZED,
    INSTANCE_TYPE,
    NODE_POOL_LABEL,
    SPOT,
    TERMINATION,
    ZONE,
)
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.karpenter.nodepools import NodePool, Option
from wavetank.controllers.karpenter.plannedclaims import PlannedClaim
from wavetank.controllers.karpenter.settings import InstanceProvider, Launch
from wavetank.controllers.karpenter.state import ClusterState, ManagedNode
from wavetank.kernel.durations import SECOND, Nanoseconds

REGISTRATION_TIMEOUT: Nanoseconds = 15 * 60 * SECOND  # a claim without a node is given up
_NEXT_WRITE: Nanoseconds = SECOND  # Karpenter waits so long after it has written that a node is registered


class NodeClaims:
    """Creates NodeClaims and lets them become nodes; `deleted` is called for each that is deleted by any client."""

    def __init__(
        self,
        context: ControllerContext,
        state: ClusterState,
        provider: InstanceProvider,
        deleted: Callable[[ManagedNode], None],
    ) -> None:
        self._context = context
        self._store = context.store
        self._clock = context.clock
        self._state = state
        self._provider = provider
        self._deleted = deleted
        self._serials: dict[str, int] = {}
        self._store.subscribe(NODE_CLAIM, modified=self._claim_modified)
        self._store.subscribe(NODE, deleted=self._node_deleted)

    def create(self, planned: PlannedClaim) -> ManagedNode:
        """Creates the NodeClaim of a planned node and launches its cheapest option."""
        pool, option = planned.pool, planned.option
        serial = self._serials[pool.name] = self._serials.get(pool.name, 0) + 1
        managed = ManagedNode(f"{pool.name}-{serial:03d}", pool, option, self._clock.now)
        self._state.managed[managed.name] = managed
        self._state.launched += 1
        self._state.mark_changed()
        owner = self._store.get(NODE_POOL, "", pool.name)
        manifest = _manifest(managed, planned.options(), owner.uid, self._clock.now)
        self._store.create(parse_resource(manifest, self._store.specs, namespaced=False))
        self._launch(managed)
        return managed

    def _launch(self, managed: ManagedNode) -> None:
        launch = self._provider.launch(managed.pool)
        if launch is None:
            self._clock.after(REGISTRATION_TIMEOUT, partial(self.delete, managed.name), background=True)
        else:
            self._clock.after(launch.registered, partial(self._register, managed, launch))
        if managed.pool.expire_after is not None:
            self._clock.after(managed.pool.expire_after, partial(self.delete, managed.name), background=True)

    def delete(self, name: str) -> None:
        """Deletes a NodeClaim, if it is still there; its node is drained first."""
        claim = self._store.find(NODE_CLAIM, "", name)
        if claim is not None and claim.deleted is None:
            self._context.client.delete(claim)

    def remove(self, managed: ManagedNode) -> None:
        """Removes a drained node and its NodeClaim."""
        if self._state.managed.pop(managed.name, None) is None:
            return
        node = self._state.node(managed.name)
        if node is not None:
            self._context.client.delete(node)
        claim = self._store.find(NODE_CLAIM, "", managed.name)
        if claim is not None:
            document = claim.render()
            document["metadata"] = {**document["metadata"], "finalizers": []}
            self._context.client.update(claim, document)
        self._state.mark_changed()

    def set_condition(self, managed: ManagedNode, kind: str, status: str, reason: str = "") -> None:
        """Writes a condition of a NodeClaim."""
        claim = self._store.find(NODE_CLAIM, "", managed.name)
        if claim is not None:
            others = [each for each in _conditions(claim) if each["type"] != kind]
            new = _condition(kind, status, self._clock.now, reason)
            self._update_status(claim, conditions=[*others, new])

    # becoming a node

    def _register(self, managed: ManagedNode, launch: Launch) -> None:
        if managed.marked_for_deletion or managed.name not in self._state.managed:
            return
        managed.registered = True
        self._store.create(managed.pool.node(managed.option, managed.name))
        claim = self._store.find(NODE_CLAIM, "", managed.name)
        assert claim is not None
        self._update_status(claim, nodeName=managed.name)
        self.set_condition(managed, "Registered", "True")
        self._clock.after(launch.initialized + _NEXT_WRITE, partial(self._initialize, managed))
        if managed.option.offering.capacity_type == SPOT:
            planned = self._provider.interruption(managed.pool)
            if planned is not None:
                self._clock.after(planned.after, partial(self._interrupt, managed, planned.notice), background=True)

    def _initialize(self, managed: ManagedNode) -> None:
        node = self._state.node(managed.name)
        if node is None:
            return
        self._store.update(_initialized(node, managed.pool))
        managed.initialized = self._clock.now
        self._state.mark_changed()
        self.set_condition(managed, "Initialized", "True")

    # spot

    def _interrupt(self, managed: ManagedNode, notice: Nanoseconds) -> None:
        """Drains a node that the cloud takes back, and lets it go when the notice is over, drained or not."""
        claim = self._store.find(NODE_CLAIM, "", managed.name)
        if claim is None:
            return
        document = claim.render()
        noted = {INTERRUPTED: render_time(self._clock.now)}
        document["metadata"] = {**document["metadata"], "annotations": {**claim.annotations, **noted}}
        self._context.client.update(claim, document)
        self.delete(managed.name)
        self._clock.after(notice, partial(self.remove, managed), background=True)

    # what the store tells

    def _claim_modified(self, old: Resource, new: Resource) -> None:
        managed = self._state.managed.get(new.name)
        if managed is not None and new.deleted is not None and old.deleted is None:
            managed.deleting = True
            self._state.mark_changed()
            self._deleted(managed)

    def _node_deleted(self, old: Node) -> None:
        """Gives up the claim of a node that is gone without having been drained."""
        managed = self._state.managed.get(old.name)
        if managed is not None:
            self.delete(old.name)
            self.remove(managed)

    def _update_status(self, claim: Resource, **fields: Any) -> None:
        self._context.client.update_status(claim, {**(claim.manifest.get("status") or {}), **fields})


def _manifest(managed: ManagedNode, options: list[Option], owner_uid: str, now: Nanoseconds) -> dict[str, Any]:
    """Returns the NodeClaim of a node, with all options that were left as its requirements."""
    pool, option = managed.pool, managed.option
    keys = (INSTANCE_TYPE, CAPACITY_TYPE, ZONE)
    requirements = [
        {"key": key, "operator": "In", "values": list(dict.fromkeys(each.labels[key] for each in options))}
        for key in keys
    ]
    owner = {"apiVersion": API_VERSION, "kind": "NodePool", "name": pool.name, "uid": owner_uid}
    spec = {
        "nodeClassRef": {"group": "wavetank.dev", "kind": "NodeClass", "name": "simulated"},
        "requirements": requirements,
        **pool.lifetime(),
    }
    status = {
        "providerID": f"wavetank://{managed.name}",
        "capacity": format_amounts(option.type.capacity),
        "allocatable": format_amounts(option.type.allocatable),
        "conditions": [
            _condition("Launched", "True", now),
            _condition("Registered", "Unknown", now),
            _condition("Initialized", "Unknown", now),
        ],
    }
    metadata = {
        "name": managed.name,
        "labels": {**option.labels, NODE_POOL_LABEL: pool.name},
        "ownerReferences": [{**owner, "blockOwnerDeletion": True}],
        "finalizers": [TERMINATION],
    }
    return {"apiVersion": API_VERSION, "kind": "NodeClaim", "metadata": metadata, "spec": spec, "status": status}


def _condition(kind: str, status: str, now: Nanoseconds, reason: str = "") -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason or kind, "lastTransitionTime": render_time(now)}


def _conditions(claim: Resource) -> list[dict[str, str]]:
    return list((claim.manifest.get("status") or {}).get("conditions") or ())


def _initialized(node: Node, pool: NodePool) -> Node:
    """Returns a node without its startup taints, with the label that pods can use it."""
    startup = {(taint["key"], taint["effect"]) for taint in pool.startup_taints}
    new = node.copy()
    new.taints = tuple(taint for taint in node.taints if (taint.key, taint.effect) not in startup)
    new.set_labels({**node.labels, INITIALIZED: "true"})
    return new
