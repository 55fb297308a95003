from __future__ import annotations

from random import Random

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray


class NodeRing:
    """The slots of nodes in the order in which they are searched, which has no first and no last.

    A node that is removed and comes back before the next shuffle takes its old place.
    """

    def __init__(self) -> None:
        self._order: IntArray = np.zeros(0, np.int64)
        self._known: BoolArray = np.zeros(16, np.bool_)  # by slot: is it in the order?
        self._present = self._known.copy()
        self._open = self._known.copy()  # not cordoned
        self._slots: IntArray | None = None

    def set(self, slot: int, node: Node) -> None:
        """Adds a node, or notes its new version."""
        if slot >= len(self._known):
            more = np.zeros(slot + 1, np.bool_)
            self._known, self._present, self._open = (
                np.concatenate((each, more)) for each in (self._known, self._present, self._open)
            )
        if not self._known[slot]:
            self._known[slot] = True
            self._order = np.append(self._order, slot)
        if not self._present[slot]:
            self._present[slot] = True
            self._slots = None
        self._open[slot] = not node.unschedulable

    def remove(self, slot: int) -> None:
        """Removes a node."""
        self._present[slot] = False
        self._slots = None

    def shuffle(self, draws: Random) -> None:
        """Draws another order."""
        slots = self.slots()
        self._known[:] = self._present
        keys = np.frombuffer(draws.randbytes(8 * len(slots)), np.uint64)
        self._order = self._slots = slots[np.argsort(keys, kind="stable")]

    def slots(self) -> IntArray:
        """Returns the slots of all nodes in order."""
        if self._slots is None:
            self._slots = self._order[self._present[self._order]]
        return self._slots

    def schedulable(self, start: int) -> IntArray:
        """Returns the slots of the nodes that are not cordoned, from the place `start` on all around."""
        slots = self.slots()
        start %= max(len(slots), 1)
        rolled = np.concatenate((slots[start:], slots[:start]))
        return rolled[self._open[rolled]]

    def after(self, slot: int) -> int:
        """Returns the place after a node."""
        slots = self.slots()
        return (int(np.flatnonzero(slots == slot)[0]) + 1) % len(slots)
