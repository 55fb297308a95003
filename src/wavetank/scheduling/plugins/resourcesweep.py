from __future__ import annotations

from collections import OrderedDict

import numpy as np

from wavetank.cluster.podspec import PodSpec
from wavetank.scheduling.framework.arrays import BoolArray, IntArray
from wavetank.scheduling.framework.nodetable import NodeTable
from wavetank.scheduling.framework.plan import Plan
from wavetank.scheduling.framework.plugin import Swept
from wavetank.scheduling.plugins.resourcekernels import sweep

MAX_SPECS = 128  # each costs sixteen bytes a node


class _Known:
    """What pods of one spec want, and how good each node was for them when it was last looked at."""

    __slots__ = ("measures", "resources", "rows", "shape", "slots", "wanted")

    def __init__(self, spec: PodSpec, wanted: IntArray, plan: Plan, table: NodeTable) -> None:
        found = [(weight, plugin.measure(spec, table)) for weight, plugin in plan.measures]
        used = [(weight, measure) for weight, measure in found if measure is not None]
        self.wanted = wanted
        self.rows = len(table.rows)
        ends = np.cumsum([0, *(len(measure.resources) for _, measure in used)])
        heads = [(measure.kind, weight, ends[i], ends[i + 1]) for i, (weight, measure) in enumerate(used)]
        self.measures: IntArray = np.array(heads, np.int64).reshape(-1, 4)
        self.resources = np.concatenate([np.zeros((0, 4), np.int64), *(measure.resources for _, measure in used)])
        self.shape = next((measure.shape for _, measure in used if len(measure.shape)), np.zeros((0, 2), np.int64))
        self.slots: IntArray = np.zeros((len(table.pod_count), 2), np.int64)


class ResourceSweep:
    """Searches and scores in one pass by what nodes have left, remembering the nodes' totals for recent specs."""

    def __init__(self) -> None:
        self._known: OrderedDict[PodSpec, _Known] = OrderedDict()

    def recall(self, spec: PodSpec, table: NodeTable) -> _Known | None:
        """Returns what is known for pods of a spec, unless the table has grown since."""
        known = self._known.get(spec)
        if known is None or known.rows != len(table.rows) or len(known.slots) < len(table.pod_count):
            return None
        return known

    def learn(self, spec: PodSpec, wanted: IntArray, plan: Plan, table: NodeTable) -> _Known:
        """Begins to remember a spec; the one begun first is forgotten when there are too many."""
        self._known.pop(spec, None)
        if len(self._known) >= MAX_SPECS:
            self._known.popitem(last=False)
        known = self._known[spec] = _Known(spec, wanted, plan, table)
        return known

    def run(self, known: _Known, barred: BoolArray, table: NodeTable, start: int, enough: int) -> Swept:
        """Looks at the nodes from `start` on until `enough` are found."""
        swept: Swept = sweep(
            table.order,
            start,
            enough,
            barred,
            known.wanted,
            known.measures,
            known.resources,
            known.shape,
            table.allocatable,
            table.requested,
            table.nonzero,
            table.pod_count,
            table.max_pods,
            table.changed,
            known.slots,
        )
        return swept
