from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.policy import Policy
from wavetank.scheduling.views import NodesView


class RoundRobin(Policy):
    """The nodes in turn, in the order in which they came; those that the pod does not fit on are passed over."""

    def __init__(self) -> None:
        self._last = -1

    def score_nodes(self, pod: Pod, nodes: NodesView) -> IntArray:
        """Prefers the node that comes next after the last one."""
        numbers = nodes.numbers
        ahead = np.where(numbers > self._last, numbers, numbers + 1 + max(int(numbers.max()), self._last))
        self._last = int(numbers[ahead.argmin()])
        return -ahead
