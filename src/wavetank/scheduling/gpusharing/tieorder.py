from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable


class TieOrder:
    """Whose turn it is among equal nodes: a number from 0 up to 1 for each slot, the lower the earlier.

    Nodes of the given order have theirs, others draw one when they come.
    """

    def __init__(self, order: Sequence[str], random: random.Random) -> None:
        self._places = {name: place / len(order) for place, name in enumerate(order)}
        self._random = random
        self._turns: NumberArray = np.zeros(0)

    def of(self, table: NodeTable, nodes: IntArray) -> NumberArray:
        """Returns the turns of some slots."""
        known = len(self._turns)
        if known < len(table.slots):
            names = list(table.slots)[known:]  # by slot
            turns = [self._places[name] if name in self._places else self._random.random() for name in names]
            self._turns = np.append(self._turns, turns)
        return self._turns[nodes]
