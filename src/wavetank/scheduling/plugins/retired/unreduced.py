"""Scores as K8sSim runs them: the formulas of 1.14, from 0 to 10, and without the step that compares the nodes.

Kubernetes scales some scores after all nodes have theirs, and turns that of taints round. K8sSim leaves this out, so
that a node with more taints is preferred. Right are the plugins of today.
"""

from __future__ import annotations

import numpy as np

from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import NodeAffinity, PodSpec
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.static import StaticScore
from wavetank.scheduling.plugins.imagelocality import MAX_BYTES_PER_CONTAINER, MIN_BYTES, ImageLocality
from wavetank.scheduling.plugins.interpodaffinity import InterPodAffinity
from wavetank.scheduling.plugins.retired.nodelabel import NodeLabel
from wavetank.scheduling.plugins.retired.nodepreferavoidpods import NodePreferAvoidPods

HIGHEST = 10


class TaintTolerationPriority(StaticScore):
    """The number of soft taints that the pod does not tolerate: the more, the better."""

    name = "TaintTolerationPriority"

    def score_facet(self, spec: PodSpec) -> Tolerations:
        """Reads the tolerations."""
        return spec.tolerations

    def rate(self, facet: Tolerations, node: Node) -> int:
        """Counts the taints."""
        soft = (taint for taint in node.taints if taint.effect == "PreferNoSchedule")
        return sum(not facet.accept(taint) for taint in soft)


class NodeAffinityPriority(StaticScore):
    """The sum of the weights of the pod's preferred terms that match."""

    name = "NodeAffinityPriority"

    def score_facet(self, spec: PodSpec) -> NodeAffinity:
        """Reads the node affinity."""
        return spec.node_affinity

    def rate(self, facet: NodeAffinity, node: Node) -> int:
        """Adds up the weights."""
        return sum(weight for weight, term in facet.preferred if term.matches(node.labels, node.name))


class ImageLocalityPriority(ImageLocality):
    """The bytes of the pod's images on the node, between 23 MiB and 1000 MiB however many containers there are."""

    name = "ImageLocalityPriority"

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Places the bytes between the two thresholds, in tenths."""
        clamped = np.clip(self.bytes_on(cycle, nodes), MIN_BYTES, MAX_BYTES_PER_CONTAINER)
        return HIGHEST * (clamped - MIN_BYTES) // (MAX_BYTES_PER_CONTAINER - MIN_BYTES)


class NodeLabelPriority(NodeLabel):
    """NodeLabel from 0 to 10."""

    name = "NodeLabelPriority"
    HIGHEST = HIGHEST


class NodePreferAvoidPodsPriority(NodePreferAvoidPods):
    """NodePreferAvoidPods from 0 to 10."""

    name = "NodePreferAvoidPodsPriority"
    HIGHEST = HIGHEST


class InterPodAffinityPriority(InterPodAffinity):
    """InterPodAffinity from 0 to 10, where a node that nothing speaks for or against counts as 0."""

    name = "InterPodAffinityPriority"

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Places each score between the lowest and the highest, of which neither is beyond 0."""
        lowest, highest = scores.min(initial=0), scores.max(initial=0)
        if lowest == highest:
            return np.zeros(len(scores), np.int64)
        normalized: IntArray = (HIGHEST * ((scores - lowest) / (highest - lowest))).astype(np.int64)
        return normalized
