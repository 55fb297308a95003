from __future__ import annotations

import numpy as np

from wavetank.scheduling.config import NodeResourcesBalancedAllocationArgs
from wavetank.scheduling.framework.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.cycle import Cycle
from wavetank.scheduling.framework.plugin import PreScorePlugin, ScorePlugin
from wavetank.scheduling.plugins.resourceallocation import ResourceScorer, balanced


class NodeResourcesBalancedAllocation(PreScorePlugin, ScorePlugin):
    """Prefers nodes whose resources are used evenly.

    Up to 1.35 the score is the evenness with the pod; from 1.36 on it is what the pod does to the evenness.
    """

    name = "NodeResourcesBalancedAllocation"

    def __init__(self, args: NodeResourcesBalancedAllocationArgs, version: tuple[int, int]) -> None:
        self._scorer = ResourceScorer(args.resources, nonzero=False)
        self._scores_change = version >= (1, 36)
        self._skips_best_effort = version >= (1, 33)

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Has nothing to say of a pod that asks for nothing."""
        return not (self._skips_best_effort and self._scorer.asks_for_nothing(cycle))

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns the evenness, or the change of it."""
        requested, asked, allocatable, _ = self._scorer.inputs(cycle, nodes)
        with_pod: IntArray = balanced(requested, asked, allocatable)
        if not self._scores_change:
            return with_pod
        without_pod: IntArray = balanced(requested, np.zeros_like(asked), allocatable)
        return 50 + (50 + with_pod - without_pod) // 2
