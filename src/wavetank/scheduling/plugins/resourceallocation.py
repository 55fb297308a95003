"""Scores from how much of a node's resources is asked for: shared by NodeResourcesFit and BalancedAllocation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from wavetank.cluster.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from wavetank.scheduling.config import ResourceSpec
from wavetank.scheduling.framework.arrays import IntArray
from wavetank.scheduling.framework.cycle import Cycle


class Inputs(NamedTuple):
    """What a strategy scores: one row per resource that counts, one column per node, and the resources' weights."""

    requested: IntArray  # by the pods on the node, without the one that is scheduled
    asked: IntArray  # by the pod that is scheduled
    allocatable: IntArray
    weights: IntArray


class ResourceScorer:
    """Gathers, for the resources of a strategy, what each node has and what is asked of it.

    `nonzero` counts 100m and 200Mi for containers that leave CPU or memory open.
    """

    def __init__(self, resources: Sequence[ResourceSpec], nonzero: bool) -> None:
        self._names = [resource.name for resource in resources]
        self._weights = np.array([resource.weight for resource in resources], np.int64)
        self._nonzero = nonzero

    def inputs(self, cycle: Cycle, nodes: IntArray) -> Inputs:
        """Returns what is to be scored."""
        table = cycle.table
        asked = [self.asked(cycle, name) for name in self._names]
        # an extended resource that the pod does not ask for says nothing of how well it fits
        counted = [
            i for i, name in enumerate(self._names) if name in table.rows and (name in _ALWAYS_COUNTED or asked[i])
        ]
        rows = np.array([table.rows[self._names[i]] for i in counted], np.int64)
        defaulted = table.nonzero if self._nonzero else table.requested[:2]
        requested, allocatable = _gather(rows, defaulted, table.requested, table.allocatable, nodes)
        return Inputs(requested, np.array([asked[i] for i in counted], np.int64), allocatable, self._weights[counted])

    def asks_for_nothing(self, cycle: Cycle) -> bool:
        """Tells whether the pod requests none of the resources."""
        return not any(self.asked(cycle, name) for name in self._names)

    def asked(self, cycle: Cycle, name: str) -> int:
        """Returns what the pod being scheduled asks for."""
        spec = cycle.pod.spec
        if self._nonzero and name == CPU:
            return spec.scored_cpu
        if self._nonzero and name == MEMORY:
            return spec.scored_memory
        return spec.requests.get(name, 0)


_ALWAYS_COUNTED = (CPU, MEMORY, EPHEMERAL_STORAGE)


@njit(cache=True)
def _gather(
    rows: IntArray, defaulted: IntArray, requested: IntArray, allocatable: IntArray, nodes: IntArray
) -> tuple[IntArray, IntArray]:
    """Picks (requested, allocatable) of some rows and nodes; CPU and memory, the first two rows, from `defaulted`."""
    used = np.empty((len(rows), len(nodes)), np.int64)
    capacity = np.empty((len(rows), len(nodes)), np.int64)
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(nodes)):
            used[i, j] = defaulted[row, nodes[j]] if row < 2 else requested[row, nodes[j]]
            capacity[i, j] = allocatable[row, nodes[j]]
    return used, capacity


def is_extended(name: str) -> bool:
    """Tells whether a resource is an extended one, such as nvidia.com/gpu."""
    domain = name.partition("/")[0]
    return "/" in name and not domain.endswith("kubernetes.io") and not name.startswith("requests.")


@njit(cache=True)
def least_allocated(requested: IntArray, asked: IntArray, allocatable: IntArray, weights: IntArray) -> IntArray:
    """Mean over the weighted resources of the free share in percent, floored twice as upstream does."""
    resources, nodes = requested.shape
    scores = np.zeros(nodes, np.int64)
    for node in range(nodes):
        score = weight_sum = 0
        for r in range(resources):
            capacity = allocatable[r, node]
            if capacity == 0:  # a node without the resource is not judged by it
                continue
            score += weights[r] * (max(capacity - requested[r, node] - asked[r], 0) * 100 // capacity)
            weight_sum += weights[r]
        scores[node] = score // weight_sum if weight_sum else 0
    return scores


@njit(cache=True)
def most_allocated(requested: IntArray, asked: IntArray, allocatable: IntArray, weights: IntArray) -> IntArray:
    """Mean over the weighted resources of the used share in percent, floored twice as upstream does."""
    resources, nodes = requested.shape
    scores = np.zeros(nodes, np.int64)
    for node in range(nodes):
        score = weight_sum = 0
        for r in range(resources):
            capacity = allocatable[r, node]
            if capacity == 0:
                continue
            score += weights[r] * (min(requested[r, node] + asked[r], capacity) * 100 // capacity)
            weight_sum += weights[r]
        scores[node] = score // weight_sum if weight_sum else 0
    return scores


@njit(cache=True)
def requested_to_capacity_ratio(
    requested: IntArray, asked: IntArray, allocatable: IntArray, weights: IntArray, shape: IntArray
) -> IntArray:
    """Mean over the weighted resources of a broken line through `shape`, rounded; what scores 0 does not count."""
    resources, nodes = requested.shape
    scores = np.zeros(nodes, np.int64)
    for node in range(nodes):
        score = weight_sum = 0
        for r in range(resources):
            capacity = allocatable[r, node]
            if capacity == 0:
                continue
            wanted = requested[r, node] + asked[r]
            used = 100 if wanted > capacity else wanted * 100 // capacity
            of_resource = broken_line(shape, used)
            if of_resource > 0:
                score += weights[r] * of_resource
                weight_sum += weights[r]
        if weight_sum:
            scores[node] = int(np.floor(score / weight_sum + 0.5))
    return scores


@njit(cache=True)
def broken_line(shape: IntArray, x: int) -> int:
    """Returns the value at x of the line through the points of `shape`, which goes on level at both ends."""
    y = shape[-1, 1]
    for i in range(len(shape) - 1, -1, -1):
        if x <= shape[i, 0]:
            y = shape[i, 1] if i == 0 else _between(shape[i - 1, 0], shape[i - 1, 1], shape[i, 0], shape[i, 1], x)
    return int(y)


@njit(cache=True)
def _between(x0: int, y0: int, x1: int, y1: int, x: int) -> int:
    rise = (y1 - y0) * (x - x0)
    step = abs(rise) // (x1 - x0)  # Go divides towards zero, Python downwards
    return y0 + step if rise >= 0 else y0 - step


@njit(cache=True)
def balanced(requested: IntArray, asked: IntArray, allocatable: IntArray) -> IntArray:
    """100 less the standard deviation of the used shares, in percent, truncated."""
    resources, nodes = requested.shape
    scores = np.zeros(nodes, np.int64)
    shares = np.zeros(resources)
    for node in range(nodes):
        counted = 0
        total = 0.0
        for r in range(resources):
            if allocatable[r, node]:
                shares[counted] = min((requested[r, node] + asked[r]) / allocatable[r, node], 1.0)
                total += shares[counted]
                counted += 1
        deviation = 0.0
        if counted == 2:
            deviation = abs((shares[0] - shares[1]) / 2)
        elif counted > 2:
            squares = 0.0
            for i in range(counted):
                squares += (shares[i] - total / counted) * (shares[i] - total / counted)
            deviation = np.sqrt(squares / counted)
        scores[node] = int((1 - deviation) * 100)
    return scores
