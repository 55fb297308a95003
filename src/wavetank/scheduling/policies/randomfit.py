from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.policy import Policy
from wavetank.scheduling.views import NodesView


class RandomFit(Policy):
    """Any node that the pod fits on, at random: the baseline that every scheduler should beat."""

    def score_nodes(self, pod: Pod, nodes: NodesView) -> list[float]:
        """Draws a number for each node."""
        return [self.random.random() for _ in range(len(nodes))]
