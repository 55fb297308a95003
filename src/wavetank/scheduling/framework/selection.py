"""The choice among nodes with the highest total score."""

from __future__ import annotations

import random
from typing import Protocol

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray


class Ties(Protocol):
    """Breaks ties between nodes with the highest total."""

    def choose(self, tied: IntArray) -> int:
        """Returns which of the tied positions it is, counted from 0.

        The positions count in the order in which the scheduler held the nodes.
        """
        ...


class RandomTies:
    """Draws one, as concurrent filtering does in a real scheduler; repeatable by the run's seed."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, tied: IntArray) -> int:
        """Draws one; nothing is drawn for a single position."""
        return 0 if len(tied) == 1 else int(self._random.random() * len(tied))


class ExactTies:
    """Takes the one that kube-scheduler takes at parallelism 1: the root of a binary heap over all scored nodes.

    Building that heap never swaps equal scores and prefers the left child, so the root is the best node
    that comes first when the heap's tree is walked parent, left, right.
    """

    def choose(self, tied: IntArray) -> int:
        """Returns which of the tied positions comes first in that walk."""
        positions: list[int] = tied.tolist()
        return positions.index(min(positions, key=_path_from_root))


class RoundRobinTies:
    """Takes them in turn, as kube-scheduler did until 1.14: a counter of all choices, modulo their number."""

    def __init__(self) -> None:
        self._choices = 0

    def choose(self, tied: IntArray) -> int:
        """Returns the next one; a choice of one counts as well."""
        turn = self._choices % len(tied)
        self._choices += 1
        return turn


def select_host(totals: NumberArray, ties: Ties) -> int:
    """Returns the position of the node to take."""
    best = np.flatnonzero(totals == totals.max())
    return int(best[ties.choose(best)])


def _path_from_root(position: int) -> str:
    # position p is heap node p + 1, whose binary digits after the first say left (0) or right (1)
    return f"{position + 1:b}"[1:]
