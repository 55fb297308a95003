from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.config import NodeLabelArgs
from wavetank.scheduling.framework.static import StaticScore


class NodeLabel(StaticScore):
    """Prefers nodes that have some labels and lack others, whatever their values; in kube-scheduler until 1.22.

    The score is the mean over all these conditions of 100 if one is met and 0 if it is not; without conditions all
    nodes are equal.
    """

    name = "NodeLabel"
    HIGHEST = 100

    def __init__(self, args: NodeLabelArgs) -> None:
        super().__init__()
        self._present = args.present
        self._absent = args.absent

    def score_facet(self, spec: PodSpec) -> tuple[()]:
        """Reads nothing of the pod."""
        return ()

    def rate(self, facet: Any, node: Node) -> int:
        """Returns the share of the conditions that the node meets."""
        met = [label in node.labels for label in self._present]
        met += [label not in node.labels for label in self._absent]
        return self.HIGHEST * sum(met) // len(met) if met else 0
