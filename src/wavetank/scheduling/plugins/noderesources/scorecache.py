from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.cycle.plan import Plan
from wavetank.scheduling.framework.nodes.arrays import IntArray, quadruples
from wavetank.scheduling.framework.nodes.nodetable import NodeTable

_NO_SHAPE: IntArray = np.zeros((0, 2), np.int64)


class ScoreCache:
    """The requests of pods of one spec, and the total score of each node at its last evaluation.

    It holds for these `cells` of the table only. `known` is as `search_nodes` writes it; None as long as
    there was only one such pod, since in many traces there never is another.
    """

    __slots__ = ("cells", "compiled_scores", "known", "resources", "shape", "wanted")

    def __init__(self, spec: PodSpec, wanted: IntArray, plan: Plan, table: NodeTable) -> None:
        self.cells = table.cells
        self.known: IntArray | None = None
        self.wanted = wanted
        self.shape: IntArray = _NO_SHAPE
        heads: list[tuple[int, ...]] = []
        resources: list[tuple[int, ...]] = []
        for weight, plugin in plan.compiled_scores:
            compiled_score = plugin.compiled_score(spec, table)
            if compiled_score is not None:
                end = len(resources) + len(compiled_score.resources)
                heads.append((compiled_score.kind, weight, len(resources), end))
                resources += compiled_score.resources
                self.shape = compiled_score.shape if len(compiled_score.shape) else self.shape
        self.compiled_scores = quadruples(heads)
        self.resources = quadruples(resources)

    def remember(self) -> IntArray:
        """Begins to cache the scores of nodes."""
        self.known = np.zeros((len(self.cells), 2), np.int64)
        return self.known
