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
    """The removal of one node: `pods` moved to the nodes in `slots`, of which `stamps` were the versions.

    `amounts` is what each pod adds to the row of its new node.
    """

    node: str
    stamp: int
    pods: tuple[Pod, ...]
    destinations: frozenset[str]
    slots: IntArray
    stamps: IntArray
    amounts: IntArray


def is_plain(spec: PodSpec) -> bool:
    """Returns whether only requests and the node itself decide if pods of a spec fit, as far as other pods allow it."""
    other = spec.ports or spec.pod_affinity or spec.spread or spec.volumes or spec.manifest.get("resourceClaims")
    return not other


def fitting(table: NodeTable, stamps: IntArray, removals: Sequence[NodeRemoval]) -> BoolArray:
    """Returns which removals are possible beside all others: destinations are the same nodes, and none overflows.

    Pods fit in any order if they fit all together, since each takes away from what is free.
    """
    columns = table.cells.shape[1]
    possible = np.array([each.amounts.shape[1] == columns for each in removals], np.bool_)
    owners, slots, amounts = _joined(removals, possible, columns)
    known = np.concatenate([each.stamps for each, ok in zip(removals, possible, strict=True) if ok] or [slots])
    possible[owners[stamps[slots] != known]] = False
    kept = possible[owners]
    owners, slots, amounts = owners[kept], slots[kept], amounts[kept]
    possible[owners[_overflows(table, slots, amounts)[slots]]] = False
    return possible


def add_to(table: NodeTable, removals: Sequence[NodeRemoval], sign: int) -> None:
    """Adds the moved pods of removals to the sums of their new nodes, or subtracts them."""
    _, slots, amounts = _joined(removals, np.ones(len(removals), np.bool_), table.cells.shape[1])
    table.add_amounts(slots, sign * amounts)


def _joined(removals: Sequence[NodeRemoval], wanted: BoolArray, columns: int) -> tuple[IntArray, IntArray, IntArray]:
    """Returns for each moved pod the place of its removal, its new slot and its amounts."""
    kept = [(number, each) for number, each in enumerate(removals) if wanted[number] and len(each.slots)]
    if not kept:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, columns), np.int64)
    lengths = [len(each.slots) for _, each in kept]
    owners = np.repeat(np.array([number for number, _ in kept], np.int64), lengths)
    return owners, np.concatenate([each.slots for _, each in kept]), np.concatenate([each.amounts for _, each in kept])


def _overflows(table: NodeTable, slots: IntArray, amounts: IntArray) -> BoolArray:
    """Returns by slot whether a node cannot hold all that is added to it."""
    added = np.zeros_like(table.cells)
    np.add.at(added, slots, amounts)
    pods = added[:, POD_COUNT] + table.pod_count > table.max_pods
    requested = table.requested_part(added)
    lacking = (requested > 0) & (table.requested + requested > table.allocatable)
    found: BoolArray = (added[:, POD_COUNT] > 0) & (pods | lacking.any(axis=0))
    return found
