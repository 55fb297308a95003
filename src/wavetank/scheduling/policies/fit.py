"""The classical fits of bin packing, over one resource."""

from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.policy import Policy
from wavetank.scheduling.views import NodesView


class FirstFit(Policy):
    """The first node, by name, that the pod fits on."""

    def score_nodes(self, pod: Pod, nodes: NodesView) -> IntArray:
        """Ranks the nodes by name."""
        return -np.argsort(np.argsort(np.array(nodes.names)))


class BestFit(Policy):
    """The node with the least of the resource left."""

    def __init__(self, resource: str = "cpu") -> None:
        self._resource = resource

    def score_nodes(self, pod: Pod, nodes: NodesView) -> IntArray:
        """Prefers little free."""
        return -nodes.free[self._resource]


class WorstFit(BestFit):
    """The node with the most of the resource left."""

    def score_nodes(self, pod: Pod, nodes: NodesView) -> IntArray:
        """Prefers much free."""
        return nodes.free[self._resource]
