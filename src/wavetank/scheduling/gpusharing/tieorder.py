from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable


class TieOrder:
    """The order among nodes of equal score: a number from 0 up to 1 for each slot, the lower the earlier.

    Nodes of the given order get theirs from it, others draw one when they are added.
    """

    def __init__(self, order: Sequence[str], random: random.Random) -> None:
        self._places = {name: place / len(order) for place, name in enumerate(order)}
        self._random = random
        self._order: NumberArray = np.zeros(0)

    def of(self, table: NodeTable, nodes: IntArray) -> NumberArray:
        """Returns the numbers of some slots."""
        known = len(self._order)
        if known < len(table.slots):
            names = list(table.slots)[known:]  # by slot
            numbers = [self._places[name] if name in self._places else self._random.random() for name in names]
            self._order = np.append(self._order, numbers)
        return self._order[nodes]
