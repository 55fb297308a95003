"""Three policies: one in ten lines, one over arrays, one with state."""

import numpy as np

import wavetank


class Tidy(wavetank.Policy):
    """The node whose free CPU is nearest to what the pod asks for."""

    def score(self, pod, node):
        return -abs(node.free["cpu"] - pod.requests["cpu"])


class EvenShares(wavetank.Policy):
    """The node whose CPU and memory are in use to the most even shares, over arrays."""

    def score_nodes(self, pod, nodes):
        shares = [
            (nodes.requested[name] + pod.requests.get(name, 0)) / np.maximum(nodes.allocatable[name], 1)
            for name in ("cpu", "memory")
        ]
        return -abs(shares[0] - shares[1])


class LeastRecent(wavetank.Policy):
    """The node that got a pod longest ago: a policy that remembers."""

    def __init__(self):
        self.last = np.zeros(0)

    def score_nodes(self, pod, nodes):
        missing = nodes.numbers.max() + 1 - len(self.last)
        if missing > 0:
            self.last = np.append(self.last, np.full(missing, -1.0))
        waited = -self.last[nodes.numbers]
        chosen = nodes.numbers[waited.argmax()]
        self.last[chosen] = self.last.max() + 1
        return (nodes.numbers == chosen).astype(float)
