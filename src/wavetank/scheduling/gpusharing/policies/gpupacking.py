from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.gpus import WHOLE
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.policy import BEST, GpuPolicy
from wavetank.scheduling.gpusharing.request import GpuRequest


class GpuPacking(GpuPolicy):
    """Rather GPUs in use than idle ones, and rather those of a node in use than of an idle one."""

    def score(self, request: GpuRequest, state: GpuNodes, nodes: IntArray) -> IntArray:
        """50 to 100 on GPUs in use, the fuller the better; 33 to 50 on idle ones; below on idle nodes."""
        if not request.gpus:
            return np.zeros(len(nodes), np.int64)
        free, gpus = state.free[nodes], state.gpus[nodes]
        idle = np.count_nonzero(free == WHOLE, axis=1)
        scores = np.full(len(nodes), max(BEST // 2 - request.gpus, BEST // 3))
        if request.is_share:
            left = np.where(free >= request.milli, free, WHOLE).min(axis=1)
            in_use = np.maximum(BEST - left * BEST // WHOLE // 10, BEST // 2)
            scores = np.where(left < WHOLE, in_use, scores)
        return np.where(idle == gpus, np.maximum(BEST // 3 - idle, idle), scores)
