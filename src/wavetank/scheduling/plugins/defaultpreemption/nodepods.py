from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable

_NOT_STARTED = 2**62  # a pod without a start time counts as started just now: after every other


def by_importance(pods: list[Pod]) -> list[Pod]:
    """Sorts the most important first; of those that have not started, the one that came last.

    Each of these counts as started when it is compared, so Go's insertion sort (up to 12 pods) puts it before others.
    """
    order = sorted(
        (-pod.priority, start_of(pod), place if pod.started is not None else -place) for place, pod in enumerate(pods)
    )
    return [pods[abs(place)] for _, _, place in order]


def start_of(pod: Pod) -> int:
    """Returns the second in which a pod has started."""
    return _NOT_STARTED if pod.started is None else pod.started // SECOND


class NodePods:
    """The pods on each node, the most important first, also as arrays: sorted again only where they have changed.

    For each slot there are `lengths` pods with their `priorities`, `starts` and `amounts` by row of the NodeTable.
    """

    def __init__(self) -> None:
        self.pods: dict[int, list[Pod]] = {}
        self.lengths: IntArray = np.zeros(0, np.int64)
        self.priorities: IntArray = np.zeros((0, 0), np.int64)
        self.starts: IntArray = np.zeros((0, 0), np.int64)
        self.amounts: IntArray = np.zeros((0, 0, 0), np.int64)
        self._unsorted: dict[int, list[Pod]] = {}

    def catch_up(self, slots: IntArray, table: NodeTable) -> None:
        """Applies the changes of the pods in some slots."""
        if self.amounts.shape[0] < len(table.nodes) or self.amounts.shape[2] != len(table.rows):
            self._begin_again(2 * len(table.nodes), len(table.rows))
        for slot in slots.tolist():
            pods = table.pods[slot]._pods  # as a list, since this is looked at for thousands of nodes
            if pods != self._unsorted.get(slot):
                self._unsorted[slot] = pods.copy()
                self._set(slot, by_importance(pods), table)

    def _set(self, slot: int, pods: list[Pod], table: NodeTable) -> None:
        if len(pods) > self.amounts.shape[1]:
            self._widen(2 * len(pods))
        self.pods[slot] = pods
        self.lengths[slot] = len(pods)
        self.priorities[slot, : len(pods)] = [pod.priority for pod in pods]
        self.starts[slot, : len(pods)] = [start_of(pod) for pod in pods]
        self.amounts[slot, : len(pods)] = 0
        for place, pod in enumerate(pods):
            for name, amount in pod.spec.requests.items():
                self.amounts[slot, place, table.rows[name]] = amount

    def _widen(self, width: int) -> None:
        more = width - self.amounts.shape[1]
        self.priorities = np.pad(self.priorities, ((0, 0), (0, more)))
        self.starts = np.pad(self.starts, ((0, 0), (0, more)))
        self.amounts = np.pad(self.amounts, ((0, 0), (0, more), (0, 0)))

    def _begin_again(self, slots: int, rows: int) -> None:
        width = self.amounts.shape[1]
        self._unsorted.clear()
        self.lengths = np.zeros(slots, np.int64)
        self.priorities, self.starts = np.zeros((2, slots, width), np.int64)
        self.amounts = np.zeros((slots, width, rows), np.int64)
