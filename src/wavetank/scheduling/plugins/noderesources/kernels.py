"""Compiled loops over the resources of nodes.

All of it is in one file: Numba caches compiled code by the file of the function, whatever it calls elsewhere. What
is done for a single node is inlined, since passing arrays costs as much as the arithmetic.
`cells` are those of the NodeTable; `resources` and `shape` are those of a CompiledScore.
"""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, SlotArray
from wavetank.scheduling.framework.nodes.nodearrays import ALLOCATABLE, MAX_PODS, PER_RESOURCE, POD_COUNT, REQUESTED
from wavetank.scheduling.framework.plugin import BEST, SLOTS, TOTALS

CAPACITY, USED, ASKED, WEIGHT = range(4)  # of a score's resources; the first two are columns of `cells`
LAST_NAMED = 30  # the last of a pod's resources that a code tells from others: it has 63 bits
LEAST_ALLOCATED, MOST_ALLOCATED, REQUESTED_TO_CAPACITY_RATIO, EVENNESS, CHANGE_OF_EVENNESS = range(5)


# filtering


@compiled()
def lacking(wanted: IntArray, cells: IntArray, nodes: IntArray) -> IntArray:
    """Returns for each node the set of what is lacking, as the codes of NodeResourcesFit."""
    codes = np.zeros(len(nodes), np.int64)
    for i in range(len(nodes)):
        node = nodes[i]
        if cells[node, POD_COUNT] + 1 > cells[node, MAX_PODS]:
            codes[i] |= 1
        number = 0
        for row in range(len(wanted)):
            if wanted[row] <= 0:
                continue
            if wanted[row] > _free(cells, node, row):
                codes[i] |= 1 << (1 + 2 * number)
                if wanted[row] > cells[node, ALLOCATABLE + PER_RESOURCE * row]:
                    codes[i] |= 1 << (2 + 2 * number)
            number = min(number + 1, LAST_NAMED)
    return codes


@compiled(inline="always")
def _has_room(wanted: IntArray, cells: IntArray, node: int) -> bool:
    has_room = cells[node, POD_COUNT] < cells[node, MAX_PODS]
    for row in range(len(wanted)):
        has_room &= wanted[row] <= 0 or wanted[row] <= _free(cells, node, row)
    return bool(has_room)


@compiled(inline="always")
def _free(cells: IntArray, node: int, row: int) -> int:
    return int(cells[node, ALLOCATABLE + PER_RESOURCE * row] - cells[node, REQUESTED + PER_RESOURCE * row])


# scoring


@compiled(error_model="numpy")
def rate_nodes(
    kind: int,
    resources: IntArray,
    shape: IntArray,
    cells: IntArray,
    nodes: IntArray,
) -> IntArray:
    """Returns the score of each node by one strategy."""
    scores = np.empty(len(nodes), np.int64)
    for i in range(len(nodes)):
        scores[i] = _rate(kind, resources, 0, len(resources), shape, cells, nodes[i])
    return scores


@compiled(error_model="numpy", inline="always")
def _rate(
    kind: int,
    resources: IntArray,
    first: int,
    end: int,
    shape: IntArray,
    cells: IntArray,
    node: int,
) -> int:
    """Returns the score of one node by the resources from `first` to before `end`."""
    if kind == EVENNESS:
        return _evenness(resources, first, end, cells, node, 1)
    if kind == CHANGE_OF_EVENNESS:
        with_pod = _evenness(resources, first, end, cells, node, 1)
        without_pod = _evenness(resources, first, end, cells, node, 0)
        return 50 + (50 + with_pod - without_pod) // 2
    score = weight_sum = 0
    for i in range(first, end):
        capacity = cells[node, resources[i, CAPACITY]]
        if capacity == 0:  # a resource that the node does not have does not count
            continue
        wanted = cells[node, resources[i, USED]] + resources[i, ASKED]
        if kind == LEAST_ALLOCATED:
            rated = max(capacity - wanted, 0) * 100 // capacity
        elif kind == MOST_ALLOCATED:
            rated = min(wanted, capacity) * 100 // capacity
        else:
            rated = broken_line(shape, 100 if wanted > capacity else wanted * 100 // capacity)
            if rated <= 0:  # what scores 0 does not count
                continue
        score += resources[i, WEIGHT] * rated
        weight_sum += resources[i, WEIGHT]
    if weight_sum == 0:
        return 0
    if kind == REQUESTED_TO_CAPACITY_RATIO:
        return int(np.floor(score / weight_sum + 0.5))
    return int(score // weight_sum)


@compiled(error_model="numpy", inline="always")
def _evenness(resources: IntArray, start: int, end: int, cells: IntArray, node: int, pods: int) -> int:
    """100 less the standard deviation of the used shares with one pod more, or none, in percent, truncated."""
    counted = 0
    total = first = second = 0.0
    for i in range(start, end):
        if cells[node, resources[i, CAPACITY]]:
            share = _share(resources, i, cells, node, pods)
            first, second = second, share
            total += share
            counted += 1
    deviation = 0.0
    if counted == 2:
        deviation = abs((first - second) / 2)
    elif counted > 2:
        squares = 0.0
        for i in range(start, end):
            if cells[node, resources[i, CAPACITY]]:
                off = _share(resources, i, cells, node, pods) - total / counted
                squares += off * off
        deviation = np.sqrt(squares / counted)
    return int((1 - deviation) * 100)


@compiled(error_model="numpy", inline="always")
def _share(resources: IntArray, i: int, cells: IntArray, node: int, pods: int) -> float:
    wanted = cells[node, resources[i, USED]] + pods * resources[i, ASKED]
    return float(min(wanted / cells[node, resources[i, CAPACITY]], 1.0))


@compiled()
def broken_line(shape: IntArray, x: int) -> int:
    """Returns the value at x of the line through the points of `shape`, which is constant beyond its ends."""
    y = shape[-1, 1]
    for i in range(len(shape) - 1, -1, -1):
        if x <= shape[i, 0]:
            y = shape[i, 1] if i == 0 else _between(shape[i - 1, 0], shape[i - 1, 1], shape[i, 0], shape[i, 1], x)
    return int(y)


@compiled()
def _between(x0: int, y0: int, x1: int, y1: int, x: int) -> int:
    rise = (y1 - y0) * (x - x0)
    step = abs(rise) // (x1 - x0)  # Go divides towards zero, Python downwards
    return y0 + step if rise >= 0 else y0 - step


# both in one pass


@compiled(error_model="numpy")
def search_nodes(
    order: SlotArray,
    start: int,
    enough: int,
    excluded: BoolArray,
    wanted: IntArray,
    compiled_scores: IntArray,
    resources: IntArray,
    shape: IntArray,
    cells: IntArray,
    changed: IntArray,
    known: IntArray,
    found: IntArray,
) -> tuple[int, int, int]:
    """Searches from `start` on until `enough` nodes are found; returns how many were looked at, found, and are best.

    `found` receives their slots, totals, and the positions of the best. `known` caches for each slot its total, -1
    if the pod does not fit, and the change at which it was computed: only changed slots are computed again. A row of
    `compiled_scores` is (kind, weight, first and end of its resources).
    """
    looked = number = best = 0
    highest = -1
    place = start
    for _ in range(len(order)):
        slot = order[place]
        place += 1
        if place == len(order):
            place = 0
        if not excluded[slot]:
            if known[slot, 1] != changed[slot]:
                known[slot, 1] = changed[slot]
                known[slot, 0] = -1
                if _has_room(wanted, cells, slot):
                    known[slot, 0] = _total(compiled_scores, resources, shape, cells, slot)
            total = known[slot, 0]
            if total >= 0:
                if number == enough:  # the first one too many is not looked at any more
                    break
                found[SLOTS, number], found[TOTALS, number] = slot, total
                if total > highest:
                    highest, best = total, 0
                if total == highest:
                    found[BEST, best] = number
                    best += 1
                number += 1
        looked += 1
    return looked, number, best


@compiled(error_model="numpy", inline="always")
def _total(compiled_scores: IntArray, resources: IntArray, shape: IntArray, cells: IntArray, node: int) -> int:
    total = 0
    for m in range(len(compiled_scores)):
        kind, first, end = compiled_scores[m, 0], compiled_scores[m, 2], compiled_scores[m, 3]
        total += compiled_scores[m, 1] * _rate(kind, resources, first, end, shape, cells, node)
    return total
