"""The dry run of a preemption where only resources decide, compiled; `cells` are those of the NodeTable."""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.framework.nodes.nodearrays import ALLOCATABLE, MAX_PODS, PER_RESOURCE, POD_COUNT, REQUESTED
from wavetank.scheduling.plugins.noderesources.kernels import LAST_NAMED

NO_LOWER_PRIORITY = -1  # the code of a node without any pod of lower priority
VIOLATIONS, HIGHEST, PRIORITIES, VICTIMS, LATENESS = range(5)  # the columns of harm, in the order in which they count


@compiled()
def dry_run(
    slots: IntArray,
    priority: int,
    enough: int,
    harmless: bool,
    wanted: IntArray,
    cells: IntArray,
    nominated: IntArray,
    nominated_count: IntArray,
    lengths: IntArray,
    priorities: IntArray,
    starts: IntArray,
    amounts: IntArray,
    violating: BoolArray,
) -> tuple[int, IntArray, BoolArray, IntArray]:
    """Tries the nodes in turn until `enough` would do, and some is `harmless`: violates no budget.

    Returns how many were tried, and for each of them a code (0: the pod fits; NO_LOWER_PRIORITY; or what is lacking, as
    the codes of NodeResourcesFit), the victims, and the harm. `nominated` is added to what is requested.
    For each slot there are `lengths` pods, the most important first, with their `amounts` by row; each of `slots` has
    its row in `violating`.
    """
    codes = np.zeros(len(slots), np.int64)
    victims = np.zeros((len(slots), priorities.shape[1]), np.bool_)
    harm = np.zeros((len(slots), 5), np.int64)
    free = np.zeros(len(wanted), np.int64)
    tried = found = 0
    for i in range(len(slots)):
        slot = slots[i]
        tried += 1
        first = 0
        while first < lengths[slot] and priorities[slot, first] >= priority:
            first += 1
        if first == lengths[slot]:
            codes[i] = NO_LOWER_PRIORITY
            continue
        places = cells[slot, MAX_PODS] - cells[slot, POD_COUNT] - nominated_count[slot] + (lengths[slot] - first) - 1
        for row in range(len(wanted)):
            column = PER_RESOURCE * row
            free[row] = cells[slot, ALLOCATABLE + column] - cells[slot, REQUESTED + column]
            free[row] -= nominated[slot, row] + wanted[row]
            for k in range(first, lengths[slot]):
                free[row] += amounts[slot, k, row]
        codes[i] = _lacking(places, free, wanted, cells, slot)
        if codes[i]:
            continue
        for wants_violating in (True, False):
            for k in range(first, lengths[slot]):
                if violating[i, k] == wants_violating:
                    if _fits_beside(places, free, wanted, amounts, slot, k):
                        places -= 1
                        for row in range(len(wanted)):
                            free[row] -= amounts[slot, k, row]
                    else:
                        victims[i, k] = True
        _judge(victims[i], violating[i], priorities[slot], starts[slot], first, lengths[slot], harm[i])
        if harm[i, VICTIMS]:
            found += 1
            harmless |= harm[i, VIOLATIONS] == 0
        if found >= enough and harmless:
            break
    return tried, codes[:tried], victims[:tried], harm[:tried]


@compiled()
def _lacking(places: int, free: IntArray, wanted: IntArray, cells: IntArray, slot: int) -> int:
    """Returns what is lacking for the pod, as the codes of NodeResourcesFit; `free` is what would be left beside it."""
    code = 1 if places < 0 else 0
    number = 0
    for row in range(len(wanted)):
        if wanted[row] <= 0:
            continue
        if free[row] < 0:
            code |= 1 << (1 + 2 * number)
            if wanted[row] > cells[slot, ALLOCATABLE + PER_RESOURCE * row]:
                code |= 1 << (2 + 2 * number)
        number = min(number + 1, LAST_NAMED)
    return code


@compiled()
def _fits_beside(places: int, free: IntArray, wanted: IntArray, amounts: IntArray, slot: int, k: int) -> bool:
    fits = places >= 1
    for row in range(len(wanted)):
        fits &= wanted[row] <= 0 or free[row] >= amounts[slot, k, row]
    return fits


@compiled()
def _judge(
    victims: BoolArray,
    violating: BoolArray,
    priorities: IntArray,
    starts: IntArray,
    first: int,
    end: int,
    harm: IntArray,
) -> None:
    for k in range(first, end):
        if victims[k]:
            harm[VIOLATIONS] += violating[k]
            harm[PRIORITIES] += priorities[k] + 2**31
            if harm[VICTIMS] == 0:
                harm[HIGHEST], harm[LATENESS] = priorities[k], -starts[k]
            elif priorities[k] == harm[HIGHEST]:
                harm[LATENESS] = max(harm[LATENESS], -starts[k])
            harm[VICTIMS] += 1
