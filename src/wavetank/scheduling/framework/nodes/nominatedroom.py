from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.cycle.memory import Memory
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import Room

MAX_PRIORITIES = 8


class _Held:
    """What pods of some priority and more hold back by their nominations, by slot and row, and how many they are."""

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


class NominatedRoom:
    """What is held back on the nodes for nominated pods: kept up to date for a few priorities."""

    def __init__(self) -> None:
        self._rooms: Memory[int, _Held] = Memory(MAX_PRIORITIES)

    def beside(self, pod: Pod, table: NodeTable) -> Room:
        """Returns what others of no less priority than this pod hold back."""
        held = self._rooms.get(pod.priority) or self._rooms.keep(pod.priority, _Held(pod.priority))
        held.catch_up(table)
        node_name = table.nominator.node_of(pod.uid)
        slot = table.slots.get(node_name)
        if slot is None:
            return Room(held.requested, held.count)
        requested, count = held.requested.copy(), held.count.copy()
        for other in table.nominator.on(node_name):
            if other.uid == pod.uid and other.priority >= pod.priority:
                _add(other, slot, -1, requested, count, table)
        return Room(requested, count)


def _add(pod: Pod, slot: int, sign: int, requested: IntArray, count: IntArray, table: NodeTable) -> None:
    count[slot] += sign
    for name, amount in pod.spec.requests.items():
        row = table.rows.get(name)
        if row is not None:  # else nobody has it, or has asked for it
            requested[slot, row] += sign * amount
