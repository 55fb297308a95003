from __future__ import annotations

import numpy as np

from wavetank.cluster.podspec import PodSpec
from wavetank.scheduling.framework.arrays import IntArray
from wavetank.scheduling.framework.nodetable import NodeTable
from wavetank.scheduling.framework.plan import Plan


class Prospect:
    """What pods of one spec want, and how good each node of a table was for them when it was last looked at.

    It holds for these `cells` of the table only. `known` is as the sweep of resourcekernels writes it.
    """

    __slots__ = ("cells", "known", "measures", "resources", "shape", "wanted")

    def __init__(self, spec: PodSpec, wanted: IntArray, plan: Plan, table: NodeTable) -> None:
        found = [(weight, plugin.measure(spec, table)) for weight, plugin in plan.measures]
        used = [(weight, measure) for weight, measure in found if measure is not None]
        self.wanted = wanted
        self.cells = table.cells
        ends = np.cumsum([0, *(len(measure.resources) for _, measure in used)])
        heads = [(measure.kind, weight, ends[i], ends[i + 1]) for i, (weight, measure) in enumerate(used)]
        self.measures: IntArray = np.array(heads, np.int64).reshape(-1, 4)
        self.resources = np.concatenate([np.zeros((0, 4), np.int64), *(measure.resources for _, measure in used)])
        self.shape = next((measure.shape for _, measure in used if len(measure.shape)), np.zeros((0, 2), np.int64))
        self.known: IntArray = np.zeros((len(table.cells), 2), np.int64)
