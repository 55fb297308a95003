"""Compiled loops over the resources of nodes; resources are by row, nodes by slot."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray

FloatArray = npt.NDArray[np.float64]
_LEAST = 0.1  # less than this is nothing


@compiled()
def lacking_later(
    allocatable: FloatArray,
    used: FloatArray,
    releasing: FloatArray,
    pipelined: FloatArray,
    rows: IntArray,
    amounts: FloatArray,
    slots: IntArray,
) -> IntArray:
    """Returns for each node 0, or 1 + the row of the first resource of which there will not be enough."""
    found = np.zeros(len(slots), np.int64)
    for i in range(len(slots)):
        slot = slots[i]
        for j in range(len(rows)):
            row = rows[j]
            free = allocatable[row, slot] - used[row, slot] + releasing[row, slot] - pipelined[row, slot]
            if amounts[j] - free >= _LEAST:
                found[i] = 1 + row
                break
    return found


@compiled()
def has_room(
    allocatable: FloatArray, used: FloatArray, rows: IntArray, amounts: FloatArray, slots: IntArray
) -> BoolArray:
    """Returns for each node whether there is enough of everything now."""
    found = np.ones(len(slots), np.bool_)
    for i in range(len(slots)):
        for j in range(len(rows)):
            if amounts[j] - (allocatable[rows[j], slots[i]] - used[rows[j], slots[i]]) >= _LEAST:
                found[i] = False
                break
    return found


@compiled()
def add_amounts(amounts_by_slot: FloatArray, rows: IntArray, amounts: FloatArray, slot: int, sign: int) -> None:
    """Adds to a book, or takes away."""
    for j in range(len(rows)):
        amounts_by_slot[rows[j], slot] += sign * amounts[j]
