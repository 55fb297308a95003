"""A scheduling policy in ten lines: best fit that keeps whole nodes free for large pods."""

import wavetank


class KeepRoom(wavetank.Policy):
    """Best fit by CPU, but small pods stay off empty nodes as long as they can."""

    def score_nodes(self, pod, nodes):
        left = nodes.free["cpu"] - pod.requests["cpu"]
        untouched = nodes.pod_counts == 0
        return -left - 1_000_000 * untouched
