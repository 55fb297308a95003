from __future__ import annotations

from collections.abc import Mapping

from wavetank.cluster.objects.groupkinds import MACHINE, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroup, NodeGroups, instance_id, machine_key
from wavetank.controllers.clusterautoscaler.taints import DELETION_CANDIDATE, TO_BE_DELETED, has_taint
from wavetank.kernel.durations import Nanoseconds

_NONE: Mapping[str, Node] = {}


class NodeWatch:
    """Follows the nodes, so that a loop need not look at each of them: all by name, in the order of their creation.

    `usable` are ready and not cordoned, `unusual` not ready or about to be deleted, `marked` have the soft taint.
    `instances` are the ids of their machines; `version` grows with every change.
    """

    def __init__(self, store: Store, groups: NodeGroups) -> None:
        self._clock = store.clock
        self._groups = groups
        self.all: dict[str, Node] = {}
        self.usable: dict[str, Node] = {}
        self.unusual: dict[str, Node] = {}
        self.marked: dict[str, Node] = {}
        self.instances: dict[str, str] = {}
        self.version = 0
        self._changed: dict[str, None] = {}
        self._since: dict[str, Nanoseconds] = {}
        self._members: dict[str, dict[str, Node]] = {}  # by the id of a group
        self._group_ids: dict[str, str] = {}
        self._by_machine: dict[tuple[str, str], str] = {}  # the name of its node
        store.subscribe(NODE, added=self._set, modified=self._modified, deleted=self._deleted)
        store.subscribe(MACHINE, added=self._machine_changed, deleted=self._machine_changed)
        for node in store.list(NODE):
            self._set(node)

    def ready_since(self, node: Node) -> Nanoseconds:
        """Returns since when a ready node is ready."""
        return self._since.get(node.name, node.created)

    def group_of(self, name: str) -> NodeGroup | None:
        """Returns the group of a node, or None."""
        return self._groups.all().get(self._group_ids.get(name, ""))

    def members(self, group: str) -> Mapping[str, Node]:
        """Returns the nodes of a group."""
        return self._members.get(group, _NONE)

    def take_changed(self) -> dict[str, None]:
        """Returns the names of nodes that came, changed or joined another group since the last call."""
        changed, self._changed = self._changed, {}
        return changed

    # what the store tells

    def _set(self, new: Node) -> None:
        name = new.name
        self.version += 1
        self.all[name] = new
        self.instances[name] = instance_id(new)
        leaving = has_taint(new, TO_BE_DELETED)
        _keep(self.usable, new, new.ready and not new.unschedulable)
        _keep(self.unusual, new, leaving or not new.ready)
        _keep(self.marked, new, has_taint(new, DELETION_CANDIDATE))
        key = machine_key(new)
        if key is not None:
            self._by_machine[key] = name
        self._join(new)

    def _join(self, node: Node) -> None:
        group = self._groups.id_of(node)
        old = self._group_ids.get(node.name, group)
        if old != group:
            del self._members[old][node.name]
        self._group_ids[node.name] = group
        self._changed[node.name] = None
        self._members.setdefault(group, {})[node.name] = node

    def _modified(self, old: Node, new: Node) -> None:
        if new.ready and not old.ready:
            self._since[new.name] = self._clock.now
        self._set(new)

    def _deleted(self, old: Node) -> None:
        name = old.name
        self.version += 1
        for nodes in (self.all, self.usable, self.unusual, self.marked, self.instances, self._since):
            nodes.pop(name, None)
        del self._members[self._group_ids.pop(name)][name]
        self._by_machine.pop(machine_key(old) or ("", ""), None)

    def _machine_changed(self, machine: Resource) -> None:
        self.version += 1
        node = self.all.get(self._by_machine.get(machine.key, ""))
        if node is not None:
            self._join(node)


def _keep(nodes: dict[str, Node], node: Node, wanted: bool) -> None:
    if wanted:
        nodes[node.name] = node
    else:
        nodes.pop(node.name, None)
