from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray

FOREVER: Nanoseconds = 2**62  # the end of a job without a walltime


class Shape:
    """What each of some equal pods needs: an amount per row of the timeline, on one of the `allowed` slots."""

    __slots__ = ("_asked", "_divisors", "_refused", "amounts")

    def __init__(self, amounts: IntArray, allowed: BoolArray) -> None:
        self.amounts = amounts
        self._asked = np.flatnonzero(amounts)
        self._divisors = amounts[self._asked, None]
        self._refused = None if allowed.all() else ~allowed

    def capacity(self, free: IntArray) -> IntArray:
        """Returns how many of these pods fit in each slot."""
        fitting: IntArray = np.maximum((free[self._asked] // self._divisors).min(axis=0), 0)
        if self._refused is not None:
            fitting[self._refused] = 0
        return fitting


class Placement(NamedTuple):
    """The placement of a job's pods: the slots, the amounts used of each (rows by slots), and the slot of every pod."""

    slots: IntArray
    amounts: IntArray
    seats: tuple[int, ...]


class BatchJob:
    """Pods that start together, or a pod alone; `takes` is their walltime, `rank` their position in the queue."""

    __slots__ = ("pods", "rank", "shapes", "takes")

    def __init__(self, pods: Sequence[Pod], takes: Nanoseconds, rank: tuple[int, ...]) -> None:
        self.pods = list(pods)
        self.takes = takes
        self.rank = rank
        self.shapes: list[tuple[Shape, int]] = []  # with the number of pods, in the order of the pods

    def fits(self, free: IntArray) -> bool:
        """Returns whether the pods of each kind, taken alone, fit."""
        return all(shape.capacity(free).sum() >= pods for shape, pods in self.shapes)

    def place(self, free: IntArray) -> Placement | None:
        """Places the pods in the first slots where they fit; None if they do not all fit."""
        left = free.copy() if len(self.shapes) > 1 else free
        seats: list[int] = []
        taken = np.zeros_like(free)
        for shape, pods in self.shapes:
            counts = _first(shape.capacity(left), pods)
            if counts is None:
                return None
            share = shape.amounts[:, None] * counts
            taken += share
            if left is not free:
                left -= share
            seats += np.repeat(np.arange(len(counts)), counts).tolist()
        slots = np.unique(seats)
        return Placement(slots, taken[:, slots], tuple(seats))

    def seated(self, placement: Placement) -> Iterator[tuple[Pod, int, IntArray]]:
        """Yields each pod with its slot and what it takes of it."""
        seats = iter(zip(self.pods, placement.seats, strict=True))
        for shape, pods in self.shapes:
            for _ in range(pods):
                pod, slot = next(seats)
                yield pod, slot, shape.amounts


def _first(capacity: IntArray, pods: int) -> IntArray | None:
    """Returns how many pods each slot gets if the first slots are filled first; None if they do not all fit."""
    before = np.cumsum(capacity) - capacity
    counts: IntArray = np.minimum(capacity, np.maximum(pods - before, 0))
    return counts if counts.sum() == pods else None
