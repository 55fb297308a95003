from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.policy import BEST, MOST_CPU, MOST_GPU, GpuPolicy
from wavetank.scheduling.gpusharing.request import GpuRequest


class DotProd(GpuPolicy):
    """The node whose free CPU and GPU have the smallest dot product with what the pod wants."""

    def score(self, request: GpuRequest, state: GpuNodes, nodes: IntArray) -> IntArray:
        """100 · (1 − (cpu_free · cpu + gpu_free · gpu) / 2), each as a part of the largest node's."""
        cpu = state.cpu_free[nodes] / MOST_CPU * (request.cpu / MOST_CPU)
        gpu = state.gpu_free[nodes] / MOST_GPU * (request.total / MOST_GPU)
        return (BEST * (1 - (cpu + gpu) / 2)).astype(np.int64)
