from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.policy import BEST, MOST_CPU, MOST_GPU, GpuPolicy
from wavetank.scheduling.gpusharing.request import GpuRequest


class BestFit(GpuPolicy):
    """The node with the least CPU and GPU left after the pod."""

    def score(self, request: GpuRequest, state: GpuNodes, nodes: IntArray) -> IntArray:
        """100 · (1 − (cpu_left + gpu_left) / 2), each as a part of the largest node's."""
        cpu = (state.cpu_free[nodes] - request.cpu) / MOST_CPU
        gpu = (state.gpu_free[nodes] - request.total) / MOST_GPU
        return ((1 - (cpu * 0.5 + gpu * 0.5)) * BEST).astype(np.int64)
