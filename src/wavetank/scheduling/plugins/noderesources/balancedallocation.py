from __future__ import annotations

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.config import NodeResourcesBalancedAllocationArgs
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import CompiledScore, CompiledScorePlugin, PreScorePlugin, ScorePlugin
from wavetank.scheduling.plugins.noderesources.allocation import ResourceScorer
from wavetank.scheduling.plugins.noderesources.kernels import CHANGE_OF_EVENNESS, EVENNESS


class NodeResourcesBalancedAllocation(PreScorePlugin, ScorePlugin, CompiledScorePlugin):
    """Prefers nodes whose resources are used evenly.

    Up to 1.35 the score is the evenness with the pod; from 1.36 on it is what the pod does to the evenness.
    """

    name = "NodeResourcesBalancedAllocation"

    def __init__(self, args: NodeResourcesBalancedAllocationArgs, version: tuple[int, int]) -> None:
        kind = CHANGE_OF_EVENNESS if version >= (1, 36) else EVENNESS
        self._scorer = ResourceScorer(kind, args.resources, nonzero=False)
        self._skips_best_effort = version >= (1, 33)

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Skips pods without requests, from 1.33."""
        return self._scores(cycle.pod.spec)

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns the evenness, or the change of it."""
        return self._scorer.score(cycle, nodes)

    def compiled_score(self, spec: PodSpec, table: NodeTable) -> CompiledScore | None:
        """Returns how the evenness is computed."""
        return self._scorer.compiled_score(spec, table) if self._scores(spec) else None

    def _scores(self, spec: PodSpec) -> bool:
        return not (self._skips_best_effort and self._scorer.asks_for_nothing(spec))
