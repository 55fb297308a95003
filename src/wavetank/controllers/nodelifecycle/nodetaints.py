from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import render_time
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key

_PREFIX = "node.kubernetes.io/"
# By condition type and status: the taint.
_TAINTS = {
    "Ready": {"False": f"{_PREFIX}not-ready", "Unknown": f"{_PREFIX}unreachable"},
    "MemoryPressure": {"True": f"{_PREFIX}memory-pressure"},
    "DiskPressure": {"True": f"{_PREFIX}disk-pressure"},
    "NetworkUnavailable": {"True": f"{_PREFIX}network-unavailable"},
    "PIDPressure": {"True": f"{_PREFIX}pid-pressure"},
}
_CORDONED = f"{_PREFIX}unschedulable"
_OURS = {_CORDONED, *(key for taints in _TAINTS.values() for key in taints.values())}
_LOST = tuple(_TAINTS["Ready"].values())  # which also evict pods
# Deprecated labels and the labels that they copy.
_FOLLOWING = {
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
}


class NodeTaints:
    """The node-lifecycle-controller: taints nodes by their conditions and if they are cordoned; reconciles labels.

    A condition changes only if a client writes it: simulated kubelets never stop reporting by themselves.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._queue = context.queue(self._sync)
        context.store.subscribe(NODE, self)
        for node in context.store.list(NODE):
            self.added(node)

    def added(self, new: Node) -> None:
        """Enqueues a node, and records that it was registered."""
        message = f"Node {new.name} event: Registered Node {new.name} in Controller"
        self._context.record_event(new, "Normal", "RegisteredNode", message, "node-controller")
        self._queue.add(new.key)

    def modified(self, old: Node, new: Node) -> None:
        """Enqueues a changed node."""
        if old.manifest is not new.manifest or old.ready != new.ready or old.unschedulable != new.unschedulable:
            self._queue.add(new.key)

    def deleted(self, old: Node) -> None:
        """Records that a node was removed."""
        message = f"Node {old.name} event: Removing Node {old.name} from Controller"
        self._context.record_event(old, "Normal", "RemovingNode", message, "node-controller")

    def _sync(self, key: Key) -> None:
        node = self._context.store.find(NODE, *key)
        if not isinstance(node, Node):
            return
        conditions = (self._context.render(node).get("status") or {}).get("conditions") or []
        wanted = dict.fromkeys(_wanted(node, conditions))
        given = node.render()
        taints = (given.get("spec") or {}).get("taints") or []
        present = {(each["key"], each["effect"]): each for each in taints if each["key"] in _OURS}  # few of very many
        now = render_time(self._context.clock.now)
        new = [{"key": k, "effect": e, "timeAdded": now} for k, e in wanted if (k, e) not in present]
        dropped = [each for place, each in present.items() if _is_ours(each) and place not in wanted]
        labels = {**node.labels, **{old: node.labels[key] for old, key in _FOLLOWING.items() if key in node.labels}}
        if new or dropped or labels != dict(node.labels):
            kept = [each for each in taints if each not in dropped] if dropped else taints
            document = {**given, "spec": {**(given.get("spec") or {}), "taints": [*kept, *new]}}
            document["metadata"] = {**given["metadata"], "labels": labels}
            for owner, field in ((document["spec"], "taints"), (document["metadata"], "labels")):
                if not owner[field]:
                    del owner[field]
            self._context.client.update(node, document)


def _wanted(node: Node, conditions: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yields the key and effect of the taints that a node should have."""
    for condition in conditions:
        key = _TAINTS.get(str(condition.get("type")), {}).get(str(condition.get("status")))
        if key is not None:
            yield key, "NoSchedule"
            if key in _LOST:
                yield key, "NoExecute"
    if node.unschedulable:
        yield _CORDONED, "NoSchedule"


def _is_ours(taint: dict[str, Any]) -> bool:
    effect, key = taint.get("effect"), taint.get("key")
    return (effect == "NoSchedule" and key in _OURS) or (effect == "NoExecute" and key in _LOST)
