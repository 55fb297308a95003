"""Removals of nodes that were simulated before, repeated as sums over arrays instead of pod by pod."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.framework.nodes.nodearrays import POD_COUNT
from wavetank.scheduling.framework.nodes.nodetable import NodeTable


@dataclass(frozen=True, slots=True, eq=False)
class NodeRemoval:
    """The removal of one node: `pods` moved to `nodes`, in these slots, of which `stamps` were the versions.

    `amounts` is what each pod adds to the row of its new node.
    """

    node: str
    stamp: int
    pods: tuple[Pod, ...]
    nodes: tuple[str, ...]
    destinations: frozenset[str]
    slots: IntArray
    stamps: IntArray
    amounts: IntArray


def is_plain(spec: PodSpec) -> bool:
    """Returns whether only requests and the node itself decide if pods of a spec fit, as far as other pods allow it."""
    other = spec.ports or spec.pod_affinity or spec.spread or spec.volumes or spec.manifest.get("resourceClaims")
    return not other


class RepeatedRemovals:
    """Those of some removals that are possible again: destinations are the same nodes, and none overflows.

    Pods fit in any order if they fit all together, since each takes away from what is free. `stamps` are the versions
    of the present nodes by slot.
    """

    def __init__(self, table: NodeTable, stamps: IntArray, removals: Sequence[NodeRemoval]) -> None:
        columns = table.cells.shape[1]
        self.removals = [each for each in removals if each.amounts.shape[1] == columns]
        self._join(columns)
        known = np.concatenate([each.stamps for each in self.removals] or [self._slots])
        self._drop(stamps[self._slots] != known, columns)
        self._drop(_overflows(table, self._slots, self._amounts)[self._slots], columns)

    def _join(self, columns: int) -> None:
        """Makes one array of the moved pods of all removals."""
        lengths = [len(each.slots) for each in self.removals]
        self._owners = np.repeat(np.arange(len(lengths)), lengths)
        self._slots: IntArray = np.concatenate([np.zeros(0, np.int64), *(each.slots for each in self.removals)])
        empty = np.zeros((0, columns), np.int64)
        self._amounts: IntArray = np.concatenate([empty, *(each.amounts for each in self.removals)])

    def _drop(self, bad: BoolArray, columns: int) -> None:
        """Leaves out the removals of bad pods."""
        if bad.any():
            owners = set(self._owners[bad].tolist())
            self.removals = [each for place, each in enumerate(self.removals) if place not in owners]
            self._join(columns)

    def count(self, table: NodeTable, sign: int) -> None:
        """Adds the moved pods to the sums of their new nodes, or subtracts them."""
        table.add_amounts(self._slots, sign * self._amounts)

    def moved_to(self, name: str) -> list[Pod]:
        """Returns the pods that moved to a node."""
        found = []
        for each in self.removals:
            if name in each.destinations:
                found += [pod for pod, node in zip(each.pods, each.nodes, strict=True) if node == name]
        return found


def _overflows(table: NodeTable, slots: IntArray, amounts: IntArray) -> BoolArray:
    """Returns by slot whether a node cannot hold all that is added to it."""
    added = np.zeros_like(table.cells)
    np.add.at(added, slots, amounts)
    pods = added[:, POD_COUNT] + table.pod_count > table.max_pods
    requested = table.requested_part(added)
    lacking = (requested > 0) & (table.requested + requested > table.allocatable)
    found: BoolArray = (added[:, POD_COUNT] > 0) & (pods | lacking.any(axis=0))
    return found
