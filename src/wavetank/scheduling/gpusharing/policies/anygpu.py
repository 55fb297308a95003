from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.policy import BEST, GpuPolicy
from wavetank.scheduling.gpusharing.request import GpuRequest


class Random(GpuPolicy):
    """Any node that fits, and any device of it that fits."""

    def score(self, request: GpuRequest, state: GpuNodes, nodes: IntArray) -> IntArray:
        """Gives all to one node."""
        scores = np.zeros(len(nodes), np.int64)
        scores[self.random.randrange(len(nodes))] = BEST
        return scores

    def device(self, request: GpuRequest, state: GpuNodes, slot: int) -> int:
        """Draws one of those with enough left."""
        return int(self.random.choice(np.flatnonzero(state.free[slot] >= request.milli)))
