"""Free CPU on nodes that cannot hold another pod."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.results.columns.decimals import NEVER
from wavetank.results.metrics.podtable import PodTable

IntArray = NDArray[np.int64]

_MOST_SHAPES = 32


def fragmentation(pods: PodTable) -> float | None:
    """Returns the share of the free CPU that a pod of the workload cannot use because the pod does not fit the node.

    It is weighted by time, and by how often pods ask for what (the 32 most frequent requests of CPU and memory). None
    if no CPU was ever free, or nothing ran.
    """
    nodes = {node.name: i for i, node in enumerate(pods.recorder.nodes)}
    begin, end = pods.busy_span()
    slots = pods.node.each(lambda name: nodes.get(name, -1), np.int64)
    placed = (slots >= 0) & (pods.scheduled != NEVER)
    if end <= begin or not placed.any():
        return None
    cpu, memory = pods.cpu, pods.memory
    gone = np.where(pods.finished == NEVER, end, pods.finished)[placed]
    steps = _Steps(len(nodes), slots[placed], pods.scheduled[placed], gone, begin, end)
    free_cpu = steps.of(_allocatable(pods, CPU), cpu[placed])
    free_memory = steps.of(_allocatable(pods, MEMORY), memory[placed])
    areas = np.maximum(free_cpu, 0) * steps.widths
    shapes, counts = _shapes(pods)
    frequent = np.argsort(-counts, kind="stable")[:_MOST_SHAPES]
    lost = [float(areas[(free_cpu < shapes[0, i]) | (free_memory < shapes[1, i])].sum()) for i in frequent]
    total = float(areas.sum()) * int(counts[frequent].sum())
    return float(np.dot(lost, counts[frequent])) / total if total else None


class _Steps:
    """A step function of time for every node: the steps of one node after those of another."""

    def __init__(self, nodes: int, slots: IntArray, bound: IntArray, gone: IntArray, begin: int, end: int) -> None:
        every_node = np.arange(nodes)
        times = np.concatenate([np.full(nodes, begin), np.clip(bound, begin, end), np.clip(gone, begin, end)])
        of = np.concatenate([every_node, slots, slots])
        self._order = np.lexsort((times, of))
        self._of = of[self._order]
        self._first = np.flatnonzero(np.diff(self._of, prepend=-1))
        sorted_times = times[self._order]
        following = np.append(sorted_times[1:], end)
        following[np.append(self._first[1:] - 1, len(following) - 1)] = end
        self.widths = (following - sorted_times).astype(np.float64)

    def of(self, allocatable: IntArray, asked: IntArray) -> NDArray[np.float64]:
        """Returns what is free during each step, if pods ask for so much."""
        changes = np.concatenate([np.zeros(len(allocatable), np.int64), asked, -asked])[self._order]
        held = np.cumsum(changes)
        before = (held - changes)[self._first]  # what the nodes before it have left over, which is nothing
        counts = np.diff(np.append(self._first, len(held)))
        free: NDArray[np.float64] = (allocatable[self._of] - (held - np.repeat(before, counts))).astype(np.float64)
        return free


def _shapes(pods: PodTable) -> tuple[IntArray, IntArray]:
    """Returns the pairs of CPU and memory that pods ask for, in rising order, and how many pods each."""
    pods_of_spec = np.bincount(pods.spec.codes)
    asked = [[spec.requests.get(name, 0) for spec in pods.spec.values] for name in (CPU, MEMORY)]
    shapes, shape_of_spec = np.unique(np.array(asked, np.int64), axis=1, return_inverse=True)
    return shapes, np.bincount(shape_of_spec.ravel(), pods_of_spec).astype(np.int64)


def _allocatable(pods: PodTable, name: str) -> IntArray:
    return np.array([node.allocatable.get(name, 0) for node in pods.recorder.nodes], np.int64)
