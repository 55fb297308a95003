from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.policy import BEST, MOST_GPU, GpuPolicy
from wavetank.scheduling.gpusharing.request import GpuRequest

_QUARTER = BEST // 4


class GpuClustering(GpuPolicy):
    """Pods that want equally many GPUs together, on the fullest node."""

    def score(self, request: GpuRequest, state: GpuNodes, nodes: IntArray) -> IntArray:
        """A quarter of the scale by free GPUs, the rest by the pods: only equal, also equal, none, others."""
        if not request.gpus:
            return np.zeros(len(nodes), np.int64)
        tenants = state.tenants[nodes] > 0
        sizes = np.count_nonzero(tenants, axis=1)
        among_others = np.where(sizes == 0, _QUARTER, 0)
        among_equals = np.where(sizes == 1, 3 * _QUARTER, 2 * _QUARTER)
        company = np.where(tenants[:, request.size], among_equals, among_others)
        return company + _QUARTER * (MOST_GPU - state.gpu_free[nodes]) // MOST_GPU
