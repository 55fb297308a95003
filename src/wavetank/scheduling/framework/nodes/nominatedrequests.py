from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable

MAX_PRIORITIES = 8


class NominatedRequests(NamedTuple):
    """The requests of nominated pods, by slot and row of the NodeTable, and their number by slot."""

    requested: IntArray
    pods: IntArray


class _ByPriority:
    """The requests of nominated pods of a priority or higher, by slot and row, and their number by slot."""

    def __init__(self, priority: int) -> None:
        self._priority = priority
        self.requested: IntArray = np.zeros((0, 0), np.int64)
        self.count: IntArray = np.zeros(0, np.int64)
        self._seen = 0
        self._unknown: set[str] = set()  # nodes that are not in the table yet

    def catch_up(self, table: NodeTable) -> None:
        shape = (len(table.cells), len(table.rows))
        if self.requested.shape != shape:
            self._seen = 0
            self.requested, self.count = np.zeros(shape, np.int64), np.zeros(shape[0], np.int64)
        changes = table.nominator.changes
        for name in self._unknown.union(changes[self._seen :]):
            self._set(name, table)
        self._seen = len(changes)

    def _set(self, name: str, table: NodeTable) -> None:
        slot = table.slots.get(name)
        if slot is None:
            self._unknown.add(name)
            return
        self._unknown.discard(name)
        self.requested[slot], self.count[slot] = 0, 0
        for pod in table.nominator.on(name):
            if pod.priority >= self._priority:
                _add(pod, slot, 1, self.requested, self.count, table)


class NominatedRequestTable:
    """The requests of nominated pods on the nodes, kept up to date for a few priorities."""

    def __init__(self) -> None:
        self._by_priority: BoundedCache[int, _ByPriority] = BoundedCache(MAX_PRIORITIES)

    def of_others(self, pod: Pod, table: NodeTable) -> NominatedRequests:
        """Returns the requests of other nominated pods of the same or a higher priority than this pod."""
        found = self._by_priority.get(pod.priority) or self._by_priority.keep(pod.priority, _ByPriority(pod.priority))
        found.catch_up(table)
        node_name = table.nominator.node_of(pod.uid)
        slot = table.slots.get(node_name)
        if slot is None:
            return NominatedRequests(found.requested, found.count)
        requested, count = found.requested.copy(), found.count.copy()
        for other in table.nominator.on(node_name):
            if other.uid == pod.uid and other.priority >= pod.priority:
                _add(other, slot, -1, requested, count, table)
        return NominatedRequests(requested, count)


def _add(pod: Pod, slot: int, sign: int, requested: IntArray, count: IntArray, table: NodeTable) -> None:
    count[slot] += sign
    for name, amount in pod.spec.requests.items():
        row = table.rows.get(name)
        if row is not None:  # otherwise no node has it
            requested[slot, row] += sign * amount
