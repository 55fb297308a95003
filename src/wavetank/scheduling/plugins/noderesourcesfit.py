from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit

from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.resources import PODS, Amounts
from wavetank.scheduling.config import NodeResourcesFitArgs
from wavetank.scheduling.framework.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.plugin import FilterPlugin, Reason, ScorePlugin
from wavetank.scheduling.plugins.resourceallocation import (
    ResourceScorer,
    is_extended,
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
)

TOO_MANY_PODS = Reason("Too many pods", resolvable=True)


class NodeResourcesFit(FilterPlugin, ScorePlugin):
    """Keeps a pod off nodes without room for its requests, and scores the room that is left.

    A code is a set of bits: bit 0 for too many pods, and two bits for each row of the NodeTable, the first if the
    request exceeds what is free, the second if it exceeds all that the node has (so that preemption cannot help).
    """

    name = "NodeResourcesFit"

    def __init__(self, args: NodeResourcesFitArgs) -> None:
        self._ignored = frozenset(args.ignored_resources)
        self._ignored_groups = frozenset(args.ignored_resource_groups)
        strategy = args.scoring_strategy
        self._scorer = ResourceScorer(strategy.resources, nonzero=True)
        self._type = strategy.type
        self._shape = np.array([(point.utilization, 10 * point.score) for point in strategy.shape], np.int64)

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Returns for each node the set of what is lacking."""
        table = cycle.table
        wanted = table.vector(self._checked(cycle.pod.spec.requests))
        return _insufficient(wanted, table.allocatable, table.requested, table.pod_count, table.max_pods, nodes)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Names what is lacking, in kube-scheduler's order."""
        found = [TOO_MANY_PODS] if code & 1 else []
        for name, row in cycle.table.rows.items():
            if code >> (1 + 2 * row) & 1:
                found.append(Reason(f"Insufficient {name}", resolvable=not code >> (2 + 2 * row) & 1))
        return tuple(found)

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Scores by the profile's strategy."""
        inputs = self._scorer.inputs(cycle, nodes)
        if self._type == "LeastAllocated":
            return least_allocated(*inputs)
        if self._type == "MostAllocated":
            return most_allocated(*inputs)
        return requested_to_capacity_ratio(*inputs, self._shape)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Room made by another pod, or a node that is new or has grown."""
        return {
            ClusterEvent.ASSIGNED_POD_DELETE: _had_a_node,
            ClusterEvent.ASSIGNED_POD_SCALE_DOWN: _shrank,
            ClusterEvent.POD_SCALE_DOWN: lambda waiting, old, new: True,
            ClusterEvent.NODE_ADD: self._fits_now,
            ClusterEvent.NODE_ALLOCATABLE: self._fits_now,
        }

    def _checked(self, requests: Amounts) -> list[tuple[str, int]]:
        if not (self._ignored or self._ignored_groups):
            return [item for item in requests.items() if item[1]]
        return [(name, amount) for name, amount in requests.items() if amount and not self._is_ignored(name)]

    def _is_ignored(self, name: str) -> bool:
        return is_extended(name) and (name in self._ignored or name.partition("/")[0] in self._ignored_groups)

    def _fits_now(self, waiting: Pod, old: Node | None, new: Node) -> bool:
        requests = waiting.spec.requests
        room = all(amount <= new.allocatable.get(name, 0) for name, amount in requests.items())
        if not room or not new.allocatable.get(PODS):
            return False
        wanted = [PODS, *(name for name, amount in requests.items() if amount)]
        return old is None or any(new.allocatable.get(name, 0) > old.allocatable.get(name, 0) for name in wanted)


def _had_a_node(waiting: Pod, old: Pod, new: Any) -> bool:
    return bool(old.node_name or old.nominated_node)


def _shrank(waiting: Pod, old: Pod, new: Pod) -> bool:
    before, after = old.spec.requests, new.spec.requests
    return any(before.get(name, 0) > after.get(name, 0) for name, amount in waiting.spec.requests.items() if amount)


@njit(cache=True)
def _insufficient(
    wanted: IntArray,
    allocatable: IntArray,
    requested: IntArray,
    pod_count: IntArray,
    max_pods: IntArray,
    nodes: IntArray,
) -> IntArray:
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
