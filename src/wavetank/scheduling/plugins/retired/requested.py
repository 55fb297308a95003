"""The scores by requested CPU and memory, and nothing but these two: from 0 to 10 in 1.14, to 100 until 1.21."""

from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import FastPathPlugin, ScorePlugin


class _Requested(FastPathPlugin, ScorePlugin):
    """Scores by the requested CPU and memory of a node, with the pod; missing requests count 100m and 200 MiB."""

    HIGHEST = 10

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns a score from 0 to HIGHEST for each node."""
        table, spec = cycle.table, cycle.pod.spec
        asked = np.array([[spec.scored_cpu], [spec.scored_memory]], np.int64)
        return self.rate(table.nonzero[:2, nodes] + asked, table.allocatable[:2, nodes])

    def rate(self, asked: IntArray, capacity: IntArray) -> IntArray:
        """Scores each column: CPU in the first row, memory in the second."""
        raise NotImplementedError


class LeastRequestedPriority(_Requested):
    """Prefers nodes with few requests: the mean of (capacity - requested) * highest / capacity."""

    name = "LeastRequestedPriority"

    def rate(self, asked: IntArray, capacity: IntArray) -> IntArray:
        """Returns the mean of what is left, in parts of the highest, each rounded down."""
        left = np.maximum(capacity - asked, 0) * self.HIGHEST // np.maximum(capacity, 1)
        mean: IntArray = left.sum(axis=0) // 2
        return mean


class MostRequestedPriority(_Requested):
    """Prefers nodes with many requests: the mean of requested * highest / capacity, 0 if that is more."""

    name = "MostRequestedPriority"

    def rate(self, asked: IntArray, capacity: IntArray) -> IntArray:
        """Returns the mean of the requested shares, in parts of the highest, each rounded down."""
        share = np.where(asked > capacity, 0, asked * self.HIGHEST // np.maximum(capacity, 1))
        mean: IntArray = share.sum(axis=0) // 2
        return mean


class BalancedResourceAllocation(_Requested):
    """Prefers nodes with equal shares of CPU and memory requested: (1 - |difference|) * highest, 0 if one is full."""

    name = "BalancedResourceAllocation"

    def rate(self, asked: IntArray, capacity: IntArray) -> IntArray:
        """Returns the evenness, rounded down; a node without a resource is full."""
        shares = np.where(capacity == 0, 1.0, asked / np.maximum(capacity, 1))
        even = ((1 - np.abs(shares[0] - shares[1])) * self.HIGHEST).astype(np.int64)
        balanced: IntArray = np.where((shares >= 1).any(axis=0), 0, even)
        return balanced


class NodeResourcesLeastAllocated(LeastRequestedPriority):
    """LeastRequestedPriority from 0 to 100: a plugin of its own until 1.21, then a strategy of NodeResourcesFit."""

    name = "NodeResourcesLeastAllocated"
    HIGHEST = 100


class NodeResourcesMostAllocated(MostRequestedPriority):
    """MostRequestedPriority from 0 to 100: a plugin of its own until 1.21, then a strategy of NodeResourcesFit."""

    name = "NodeResourcesMostAllocated"
    HIGHEST = 100


class EvenlyRequested(BalancedResourceAllocation):
    """NodeResourcesBalancedAllocation as it was until 1.21."""

    name = "NodeResourcesBalancedAllocation"
    HIGHEST = 100
