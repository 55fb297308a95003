from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.cycle.plan import Plan
from wavetank.scheduling.framework.nodes.arrays import IntArray, quadruples
from wavetank.scheduling.framework.nodes.nodetable import NodeTable

_NO_SHAPE: IntArray = np.zeros((0, 2), np.int64)


class Prospect:
    """What pods of one spec want, and how good each node of a table was for them when it was last looked at.

    It holds for these `cells` of the table only. `known` is as the sweep of resourcekernels writes it; None as long as
    there was only one such pod, since in many traces there never is another.
    """

    __slots__ = ("cells", "known", "measures", "resources", "shape", "wanted")

    def __init__(self, spec: PodSpec, wanted: IntArray, plan: Plan, table: NodeTable) -> None:
        self.cells = table.cells
        self.known: IntArray | None = None
        self.wanted = wanted
        self.shape: IntArray = _NO_SHAPE
        heads: list[tuple[int, ...]] = []
        resources: list[tuple[int, ...]] = []
        for weight, plugin in plan.measures:
            measure = plugin.measure(spec, table)
            if measure is not None:
                end = len(resources) + len(measure.resources)
                heads.append((measure.kind, weight, len(resources), end))
                resources += measure.resources
                self.shape = measure.shape if len(measure.shape) else self.shape
        self.measures = quadruples(heads)
        self.resources = quadruples(resources)

    def remember(self) -> IntArray:
        """Begins to remember the nodes, of which nothing is known so far."""
        self.known = np.zeros((len(self.cells), 2), np.int64)
        return self.known
