from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import LEASE, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import EPOCH_SECONDS, Resource
from wavetank.kernel.durations import SECOND, Nanoseconds

NAMESPACE = "kube-node-lease"
_TABLE, _VERSION = LEASE, "coordination.k8s.io/v1"
_DURATION_S = 40
_RENEWAL = 10 * SECOND


class Leases:
    """The Leases of kubelets, renewed every ten seconds while their nodes are ready."""

    def __init__(self, context: ActorContext) -> None:
        self._store = store = context.store
        store.subscribe(NODE, added=self._begin, deleted=self._end)
        for node in store.list(NODE):
            self._begin(node)
        store.clock.after(_RENEWAL, self._renew, background=True)

    def _renew(self) -> None:
        for node in self._store.list(NODE):
            lease = self._store.find(_TABLE, NAMESPACE, node.name)
            if lease is not None and _alive(node):
                self._store.update(self._renewed(lease))
        self._store.clock.after(_RENEWAL, self._renew, background=True)

    def _renewed(self, lease: Resource) -> Resource:
        new = lease.copy()
        spec = {**(lease.manifest.get("spec") or {}), "renewTime": micro_time(self._store.clock.now)}
        new.manifest = {**lease.manifest, "spec": spec}
        return new

    def _begin(self, new: Node) -> None:
        if self._store.find(_TABLE, NAMESPACE, new.name) is None:
            self._store.create(Resource(lease_of(new, self._store.clock.now)))

    def _end(self, old: Node) -> None:
        lease = self._store.find(_TABLE, NAMESPACE, old.name)
        if lease is not None:
            self._store.delete(lease)


def _alive(node: Node) -> bool:
    """Tells whether a node's kubelet renews its Lease: not if the node's status says that it is not ready."""
    conditions = (node.manifest.get("status") or {}).get("conditions") or ()
    stated = next((each.get("status") for each in conditions if each.get("type") == "Ready"), "True")
    return bool(stated == "True")


def lease_of(node: Node, now: Nanoseconds) -> dict[str, Any]:
    """Returns a new Lease of a node."""
    owner = {"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": node.uid}
    return {
        "apiVersion": _VERSION,
        "kind": "Lease",
        "metadata": {"name": node.name, "namespace": NAMESPACE, "ownerReferences": [owner]},
        "spec": {
            "holderIdentity": node.name,
            "leaseDurationSeconds": _DURATION_S,
            "renewTime": micro_time(now),
        },
    }


def micro_time(time: Nanoseconds) -> str:
    """Writes a virtual time in RFC 3339 with microseconds, as Leases have it."""
    seconds, rest = divmod(time, SECOND)
    second = datetime.fromtimestamp(EPOCH_SECONDS + seconds, UTC)
    return f"{second:%Y-%m-%dT%H:%M:%S}.{rest // 1000:06d}Z"
