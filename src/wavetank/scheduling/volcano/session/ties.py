"""How one of several nodes with the best score is taken."""

from __future__ import annotations

import random
from typing import Protocol

from wavetank.cluster.fields.resources import CPU
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.volcano.model.cache import Cache


class Ties(Protocol):
    """Picks one of several nodes; `by_chance` if it might pick another one the next time."""

    by_chance: bool

    def pick(self, cache: Cache, slots: IntArray) -> int:
        """Returns the place of the node to take."""


class RandomTies:
    """Takes any of them, as Volcano does."""

    by_chance = True

    def __init__(self, draws: random.Random) -> None:
        self._draws = draws

    def pick(self, cache: Cache, slots: IntArray) -> int:
        """Draws."""
        return self._draws.randrange(len(slots))


class ByName:
    """Takes the one whose name comes first."""

    by_chance = False

    def pick(self, cache: Cache, slots: IntArray) -> int:
        """Compares names."""
        return int(cache.ranks[slots].argmin())


class BySize:
    """Takes the one with the most CPU, and of several of that size the first."""

    by_chance = False

    def pick(self, cache: Cache, slots: IntArray) -> int:
        """Compares sizes."""
        return int(cache.table.allocatable[cache.table.rows[CPU], slots].argmax())
