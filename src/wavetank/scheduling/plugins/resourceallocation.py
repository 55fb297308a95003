"""Scores from how much of a node's resources is asked for: shared by NodeResourcesFit and BalancedAllocation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from wavetank.cluster.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from wavetank.scheduling.config import ResourceSpec
from wavetank.scheduling.framework.arrays import IntArray
from wavetank.scheduling.framework.cycle import Cycle


class ResourceScorer:
    """Gathers, for the resources of a strategy, what each node has and what would be asked of it with the pod.

    `nonzero` counts 100m and 200Mi for containers that leave CPU or memory open.
    """

    def __init__(self, resources: Sequence[ResourceSpec], nonzero: bool) -> None:
        self._names = [resource.name for resource in resources]
        self._weights = np.array([resource.weight for resource in resources], np.int64)
        self._nonzero = nonzero

    def inputs(self, cycle: Cycle, nodes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Returns (requested with the pod, allocatable, weights), one row per resource that counts."""
        counted = [i for i, name in enumerate(self._names) if name in cycle.table.rows and self._counts(cycle, name)]
        requested = np.empty((len(counted), len(nodes)), np.int64)
        allocatable = np.empty((len(counted), len(nodes)), np.int64)
        for row, i in enumerate(counted):
            name = self._names[i]
            allocatable[row] = cycle.table.allocatable[cycle.table.rows[name], nodes]
            requested[row] = self._used(cycle, name)[nodes] + self.asked(cycle, name)
        return requested, allocatable, self._weights[counted]

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

    def asked_of_all(self, cycle: Cycle) -> IntArray:
        """Returns what the pod asks for, one entry per row of `inputs`."""
        names = [name for name in self._names if name in cycle.table.rows and self._counts(cycle, name)]
        return np.array([self.asked(cycle, name) for name in names], np.int64)

    def _counts(self, cycle: Cycle, name: str) -> bool:
        # an extended resource that the pod does not ask for says nothing of how well it fits
        return name in (CPU, MEMORY, EPHEMERAL_STORAGE) or self.asked(cycle, name) > 0

    def _used(self, cycle: Cycle, name: str) -> IntArray:
        defaulted = self._nonzero and name in (CPU, MEMORY)
        row: IntArray = (cycle.table.nonzero if defaulted else cycle.table.requested)[cycle.table.rows[name]]
        return row


def is_extended(name: str) -> bool:
    """Tells whether a resource is an extended one, such as nvidia.com/gpu."""
    domain = name.partition("/")[0]
    return "/" in name and not domain.endswith("kubernetes.io") and not name.startswith("requests.")


@njit(cache=True)
def least_allocated(requested: IntArray, allocatable: IntArray, weights: IntArray) -> IntArray:
    """Mean over the weighted resources of the free share in percent, floored twice as upstream does."""
    resources, nodes = requested.shape
    scores = np.zeros(nodes, np.int64)
    for node in range(nodes):
        score = weight_sum = 0
        for r in range(resources):
            capacity = allocatable[r, node]
            if capacity == 0:  # a node without the resource is not judged by it
                continue
            score += weights[r] * (max(capacity - requested[r, node], 0) * 100 // capacity)
            weight_sum += weights[r]
        scores[node] = score // weight_sum if weight_sum else 0
    return scores


@njit(cache=True)
def most_allocated(requested: IntArray, allocatable: IntArray, weights: IntArray) -> IntArray:
    """Mean over the weighted resources of the used share in percent, floored twice as upstream does."""
    resources, nodes = requested.shape
    scores = np.zeros(nodes, np.int64)
    for node in range(nodes):
        score = weight_sum = 0
        for r in range(resources):
            capacity = allocatable[r, node]
            if capacity == 0:
                continue
            score += weights[r] * (min(requested[r, node], capacity) * 100 // capacity)
            weight_sum += weights[r]
        scores[node] = score // weight_sum if weight_sum else 0
    return scores


@njit(cache=True)
def requested_to_capacity_ratio(
    requested: IntArray, allocatable: IntArray, weights: IntArray, shape: IntArray
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
            used = 100 if requested[r, node] > capacity else requested[r, node] * 100 // capacity
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
def balanced(requested: IntArray, allocatable: IntArray) -> IntArray:
    """100 less the standard deviation of the used shares, in percent, truncated."""
    resources, nodes = requested.shape
    scores = np.zeros(nodes, np.int64)
    shares = np.zeros(resources)
    for node in range(nodes):
        counted = 0
        total = 0.0
        for r in range(resources):
            if allocatable[r, node]:
                shares[counted] = min(requested[r, node] / allocatable[r, node], 1.0)
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
