"""What is computed for every node from what is asked of its resources, compiled.

All of it stands in one file: compiled code is cached by the file that it stands in, whatever it calls elsewhere.
The arrays are those of the NodeTable; `resources` and `shape` are those of a Measure.
"""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.arrays import BoolArray, IntArray

ROW, ASKED, WEIGHT, DEFAULTED = range(4)  # the columns of a measure's resources
LEAST_ALLOCATED, MOST_ALLOCATED, REQUESTED_TO_CAPACITY_RATIO, EVENNESS, CHANGE_OF_EVENNESS = range(5)


# filtering


@compiled()
def lacking(
    wanted: IntArray,
    allocatable: IntArray,
    requested: IntArray,
    pod_count: IntArray,
    max_pods: IntArray,
    nodes: IntArray,
) -> IntArray:
    """Returns for each node the set of what is lacking, as the codes of NodeResourcesFit."""
    codes = np.zeros(len(nodes), np.int64)
    for i in range(len(nodes)):
        node = nodes[i]
        if pod_count[node] + 1 > max_pods[node]:
            codes[i] |= 1
        for row in range(len(wanted)):
            if wanted[row] > 0 and wanted[row] > allocatable[row, node] - requested[row, node]:
                codes[i] |= 1 << (1 + 2 * row)
                if wanted[row] > allocatable[row, node]:
                    codes[i] |= 1 << (2 + 2 * row)
    return codes


@compiled()
def _has_room(
    wanted: IntArray, allocatable: IntArray, requested: IntArray, pod_count: IntArray, max_pods: IntArray, node: int
) -> bool:
    if pod_count[node] + 1 > max_pods[node]:
        return False
    for row in range(len(wanted)):
        if wanted[row] > 0 and wanted[row] > allocatable[row, node] - requested[row, node]:
            return False
    return True


# scoring


@compiled(error_model="numpy")
def rate_nodes(
    kind: int,
    resources: IntArray,
    shape: IntArray,
    allocatable: IntArray,
    requested: IntArray,
    nonzero: IntArray,
    nodes: IntArray,
) -> IntArray:
    """Returns the score of each node by one strategy."""
    scores = np.empty(len(nodes), np.int64)
    for i in range(len(nodes)):
        scores[i] = _rate(kind, resources, 0, len(resources), shape, allocatable, requested, nonzero, nodes[i])
    return scores


@compiled(error_model="numpy")
def _rate(
    kind: int,
    resources: IntArray,
    first: int,
    end: int,
    shape: IntArray,
    allocatable: IntArray,
    requested: IntArray,
    nonzero: IntArray,
    node: int,
) -> int:
    """Returns the score of one node by the resources from `first` to before `end`."""
    if kind == EVENNESS:
        return _evenness(resources, first, end, allocatable, requested, nonzero, node, True)
    if kind == CHANGE_OF_EVENNESS:
        with_pod = _evenness(resources, first, end, allocatable, requested, nonzero, node, True)
        without_pod = _evenness(resources, first, end, allocatable, requested, nonzero, node, False)
        return 50 + (50 + with_pod - without_pod) // 2
    score = weight_sum = 0
    for i in range(first, end):
        capacity = allocatable[resources[i, ROW], node]
        if capacity == 0:  # a node without the resource is not judged by it
            continue
        wanted = _in_use(resources, i, requested, nonzero, node) + resources[i, ASKED]
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


@compiled()
def _in_use(resources: IntArray, i: int, requested: IntArray, nonzero: IntArray, node: int) -> int:
    """Returns what the pods on a node ask for; of CPU and memory, the first two rows, with defaults if wanted."""
    row = resources[i, ROW]
    return int(nonzero[row, node] if resources[i, DEFAULTED] else requested[row, node])


@compiled(error_model="numpy")
def _evenness(
    resources: IntArray,
    start: int,
    end: int,
    allocatable: IntArray,
    requested: IntArray,
    nonzero: IntArray,
    node: int,
    with_pod: bool,
) -> int:
    """100 less the standard deviation of the used shares, in percent, truncated."""
    counted = 0
    total = first = second = 0.0
    for i in range(start, end):
        if allocatable[resources[i, ROW], node]:
            share = _share(resources, i, allocatable, requested, nonzero, node, with_pod)
            first, second = second, share
            total += share
            counted += 1
    deviation = 0.0
    if counted == 2:
        deviation = abs((first - second) / 2)
    elif counted > 2:
        squares = 0.0
        for i in range(start, end):
            if allocatable[resources[i, ROW], node]:
                off = _share(resources, i, allocatable, requested, nonzero, node, with_pod) - total / counted
                squares += off * off
        deviation = np.sqrt(squares / counted)
    return int((1 - deviation) * 100)


@compiled(error_model="numpy")
def _share(
    resources: IntArray,
    i: int,
    allocatable: IntArray,
    requested: IntArray,
    nonzero: IntArray,
    node: int,
    with_pod: bool,
) -> float:
    wanted = _in_use(resources, i, requested, nonzero, node) + (resources[i, ASKED] if with_pod else 0)
    return float(min(wanted / allocatable[resources[i, ROW], node], 1.0))


@compiled()
def broken_line(shape: IntArray, x: int) -> int:
    """Returns the value at x of the line through the points of `shape`, which goes on level at both ends."""
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
def sweep(
    order: IntArray,
    start: int,
    enough: int,
    barred: BoolArray,
    wanted: IntArray,
    measures: IntArray,
    resources: IntArray,
    shape: IntArray,
    allocatable: IntArray,
    requested: IntArray,
    nonzero: IntArray,
    pod_count: IntArray,
    max_pods: IntArray,
    changed: IntArray,
    known: IntArray,
) -> tuple[int, IntArray, IntArray]:
    """Searches from `start` on until `enough` nodes are found; returns how many were looked at, and those found.

    They come as slots and their totals. `known` remembers for each slot its total, -1 where there is no room, and the
    change at which it was computed: only what has changed is done again. A row of `measures` is (kind, weight, first
    and end of its resources).
    """
    found = looked = 0
    slots = np.empty(enough, np.int64)
    totals = np.empty(enough, np.int64)
    place = start
    for _ in range(len(order)):
        slot = order[place]
        place += 1
        if place == len(order):
            place = 0
        if not barred[slot]:
            if known[slot, 1] != changed[slot]:
                known[slot, 1] = changed[slot]
                known[slot, 0] = -1
                if _has_room(wanted, allocatable, requested, pod_count, max_pods, slot):
                    total = 0
                    for m in range(len(measures)):
                        kind, first, end = measures[m, 0], measures[m, 2], measures[m, 3]
                        rated = _rate(kind, resources, first, end, shape, allocatable, requested, nonzero, slot)
                        total += measures[m, 1] * rated
                    known[slot, 0] = total
            if known[slot, 0] >= 0:
                if found == enough:  # the first one too many is not looked at any more
                    break
                slots[found], totals[found] = slot, known[slot, 0]
                found += 1
        looked += 1
    return looked, slots[:found], totals[:found]
