"""New nodes like those that a cluster has."""

from __future__ import annotations

from collections.abc import Iterator

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.explanation.advice.evictions import follows_node
from wavetank.explanation.advice.nodeedits import AddNode
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.workloads.manifests.nodes import ZONES, like, named_nodes, own_taints, zone_of

_MOST_TYPES = 20  # that differ in more than their zone


def node_types(table: NodeTable) -> Iterator[dict[str, AddNode]]:
    """Yields the types of nodes, by zone: types differ in resources, taints or labels other than a node's name.

    A new node is empty, apart from copies of the pods that belong to its template: those of DaemonSets, static pods.
    """
    types: dict[tuple[object, ...], dict[str, Node]] = {}
    for slot in table.order.tolist():
        node = table.nodes[slot]
        if node is not None:
            types.setdefault(_type(node), {}).setdefault(zone_of(node), node)
    for zones in list(types.values())[:_MOST_TYPES]:
        yield {zone: _copy(node, table) for zone, node in zones.items()}


def _type(node: Node) -> tuple[object, ...]:
    labels = frozenset(item for item in node.labels.items() if item[1] != node.name and item[0] not in ZONES)
    return tuple(sorted(node.allocatable.items())), own_taints(node), labels


def _copy(template: Node, table: NodeTable) -> AddNode:
    name = next(name for i in range(len(table.slots) + 1) if (name := f"new-{i + 1}") not in table.slots)
    node = Node(next(iter(named_nodes(like(template), [name]))))
    own = [pod for pod in table.pods[table.slots[template.name]].all() if follows_node(pod)]
    return AddNode(template.name, node, [_on(pod, name) for pod in own])


def _on(pod: Pod, node: str) -> Pod:
    new = pod.copy()
    new.uid, new.node_name = f"{pod.uid}@{node}", node
    return new
