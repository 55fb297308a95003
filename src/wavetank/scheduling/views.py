"""What a user's policy sees of the nodes: one node, or all candidates as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.labelcolumns import FloatArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable


class NodeView:
    """The present state of one node: amounts are in milli-CPU, bytes and counts."""

    __slots__ = ("_node", "_slot", "_table")

    def __init__(self, table: NodeTable, slot: int) -> None:
        node = table.nodes[slot]
        assert node is not None
        self._table = table
        self._slot = slot
        self._node: Node = node

    @property
    def name(self) -> str:
        """Returns the node's name."""
        return self._node.name

    @property
    def labels(self) -> Mapping[str, str]:
        """Returns the node's labels."""
        return self._node.labels

    @property
    def allocatable(self) -> Amounts:
        """Returns what the node has for pods."""
        return self._node.allocatable

    @property
    def requested(self) -> Amounts:
        """Returns what the pods on it ask for, by resource."""
        table = self._table
        return {name: int(table.requested[row, self._slot]) for name, row in table.rows.items()}

    @property
    def free(self) -> Amounts:
        """Returns what is not asked for yet, by resource."""
        requested = self.requested
        return {name: amount - requested.get(name, 0) for name, amount in self.allocatable.items() if name != "pods"}

    @property
    def load(self) -> Amounts:
        """Returns what other programs than pods use of it, by resource; requests do not contain it."""
        return self._node.load

    @property
    def pods(self) -> list[Pod]:
        """Returns the pods on the node."""
        return list(self._table.pods[self._slot].values())


class NodesView:
    """All candidate nodes at once: `names` and `labels` are lists, amounts are arrays in the same order.

    `nodes.free["cpu"]` is an array of milli-CPU; a resource that no node knows is 0 everywhere. `numbers` are small
    numbers that nodes keep as long as they exist, in the order in which they were added: a policy that keeps
    something for each node can use them as indices of its own arrays.
    """

    def __init__(self, table: NodeTable, slots: IntArray) -> None:
        self._table = table
        self._slots = slots
        self.numbers: IntArray = slots
        self.allocatable = _Column(table, slots, table.allocatable)
        self.requested = _Column(table, slots, table.requested)
        self.free = _Free(self.allocatable, self.requested)
        self.load = _Column(table, slots, table.load)
        self.pod_counts: IntArray = table.pod_count[slots]

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[NodeView]:
        """Yields the nodes one by one: convenient, and slow on large clusters."""
        return (NodeView(self._table, int(slot)) for slot in self._slots)

    @property
    def names(self) -> list[str]:
        """Returns the nodes' names."""
        return [node.name for node in self._nodes()]

    @property
    def labels(self) -> list[Mapping[str, str]]:
        """Returns the nodes' labels."""
        return [node.labels for node in self._nodes()]

    def label_values(self, label: str) -> FloatArray:
        """Returns the values of a label that is a number: NaN for nodes that have none."""
        return self._label_column(label)[self._slots]

    def annotation_values(self, annotation: str) -> FloatArray:
        """Returns the values of an annotation that is a number, a quantity or a duration (in seconds), else NaN."""
        return self._annotation_column(annotation)[self._slots]

    def any_has(self, resource: str = "", label: str = "", annotation: str = "") -> bool:
        """Returns whether any node of the cluster, candidate or not, has a resource, or a label that is a number."""
        if label or annotation:
            column = self._label_column(label) if label else self._annotation_column(annotation)
            return bool(np.isfinite(column).any())
        row = self._table.rows.get(resource)
        return row is not None and bool(self._table.allocatable[row].any())

    def _label_column(self, label: str) -> FloatArray:
        return self._table.label_columns.values(label, self._table.nodes, self._table.node_changes)

    def _annotation_column(self, annotation: str) -> FloatArray:
        table = self._table
        return table.label_columns.values(annotation, table.nodes, table.node_changes, "annotation")

    def _nodes(self) -> list[Node]:
        nodes = (self._table.nodes[slot] for slot in self._slots)
        return [node for node in nodes if node is not None]


class _Column:
    def __init__(self, table: NodeTable, slots: IntArray, amounts: IntArray) -> None:
        self._rows = table.rows
        self._slots = slots
        self._amounts = amounts

    def __getitem__(self, resource: str) -> IntArray:
        row = self._rows.get(resource)
        column: IntArray = np.zeros(len(self._slots), np.int64) if row is None else self._amounts[row, self._slots]
        return column


class _Free:
    def __init__(self, allocatable: _Column, requested: _Column) -> None:
        self._allocatable = allocatable
        self._requested = requested

    def __getitem__(self, resource: str) -> IntArray:
        return self._allocatable[resource] - self._requested[resource]
