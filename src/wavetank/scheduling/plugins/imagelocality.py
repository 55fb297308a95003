from __future__ import annotations

import numpy as np

from wavetank.cluster.fields.imagenames import with_tag
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import FastPathPlugin, ScorePlugin

_MIB = 1024 * 1024
MIN_BYTES = 23 * _MIB
MAX_BYTES_PER_CONTAINER = 1000 * _MIB


class ImageLocality(FastPathPlugin, ScorePlugin):
    """Prefers nodes that have the pod's images already; an image counts more the more nodes have it."""

    name = "ImageLocality"

    def passes_now(self, cycle: Cycle) -> bool:
        """Passes as long as no node has images."""
        return cycle.table.images.is_empty

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Places the sum of the images' bytes, each scaled by its spread, between a low and a high threshold."""
        if cycle.table.images.is_empty:
            return np.zeros(len(nodes), np.int64)
        highest = MAX_BYTES_PER_CONTAINER * cycle.pod.spec.containers
        clamped = np.clip(self.bytes_on(cycle, nodes), MIN_BYTES, highest)
        return 100 * (clamped - MIN_BYTES) // (highest - MIN_BYTES)

    def bytes_on(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Returns the bytes of the pod's images on each node, each image scaled by the share of nodes that have it."""
        total = len(cycle.table.order)
        sums = np.zeros(len(nodes), np.int64)
        for image in cycle.pod.spec.images:
            found = cycle.table.images.sizes_and_counts(with_tag(image), nodes)
            if found is not None:
                size, counts = found
                sums += (size * (counts / total)).astype(np.int64)
        return sums
