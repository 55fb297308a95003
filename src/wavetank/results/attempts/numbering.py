from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

import numpy as np

from wavetank.results.attempts.format import NOTHING
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable

T = TypeVar("T", bound=Hashable)


class Numbering(Generic[T]):
    """Numbers things in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def of(self, thing: T | None) -> int:
        """Returns the thing's number; None has the number of nothing."""
        return NOTHING if thing is None else self._numbers.setdefault(thing, len(self._numbers))

    def of_all(self, things: Iterable[T]) -> IntArray:
        """Returns the numbers of several things."""
        return np.array([self.of(thing) for thing in things], np.int64)

    def all(self) -> list[T]:
        """Returns the things by their numbers."""
        return list(self._numbers)


class SlotNumbers:
    """The numbers of the nodes in a table, by their slots; it follows the table's changes."""

    def __init__(self, table: NodeTable, numbering: Numbering[str]) -> None:
        self._table = table
        self._numbering = numbering
        self._numbers: IntArray = np.zeros(0, np.int64)
        self._seen = 0  # changes of the table

    def of(self, slots: IntArray) -> IntArray:
        """Returns the numbers of the nodes in these slots."""
        changes = self._table.node_changes
        if self._seen < len(changes):
            self._numbers.resize(len(self._table.nodes), refcheck=False)
            for slot in dict.fromkeys(changes[self._seen :]):
                node = self._table.nodes[slot]
                if node is not None:
                    self._numbers[slot] = self._numbering.of(node.name)
            self._seen = len(changes)
        return self._numbers[slots]
