"""A scheduling policy in ten lines: best fit that leaves nodes with GPUs to pods that need GPUs."""

import wavetank

GPU = "nvidia.com/gpu"


class LeaveGpus(wavetank.Policy):
    """Best fit by CPU, but pods without GPUs use nodes with GPUs only if no other node has room."""

    def score_nodes(self, pod, nodes):
        left = nodes.free["cpu"] - pod.requests["cpu"]
        wasted = (nodes.allocatable[GPU] > 0) & (GPU not in pod.requests)
        return -left - 1_000_000 * wasted
