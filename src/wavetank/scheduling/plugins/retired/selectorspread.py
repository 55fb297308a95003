from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.nodes.podqueries import Selected
from wavetank.scheduling.framework.plugin import FastPathPlugin, PreScorePlugin, ScorePlugin

HIGHEST = 100
ZONE_WEIGHT = 2.0 / 3.0
_REGIONS = ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")
_ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")


class SelectorSpread(FastPathPlugin, PreScorePlugin, ScorePlugin):
    """Prefers nodes, and zones, with few pods of the same services and controller; by default until 1.19.

    Later releases do this with the default constraints of PodTopologySpread. Pods with constraints of their own are not
    scored.
    """

    name = "SelectorSpread"

    def __init__(self, listers: Listers) -> None:
        self._listers = listers

    def passes_now(self, cycle: Cycle) -> bool:
        """Passes pods without siblings, for which all nodes are equal, and pods with constraints of their own."""
        return bool(cycle.pod.spec.spread) or self._listers.owners_selector(cycle.pod).is_empty

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Skips the pods that it passes."""
        return not self.passes_now(cycle)

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns a third of the score of the node and two thirds of that of its zone, if it has one."""
        query = Selected(cycle.pod.namespace, self._listers.owners_selector(cycle.pod))
        counts = cycle.table.index.counts(query, nodes)
        scores = _fewest_first(counts)
        zones = np.array([_zone(cycle.table.nodes[slot]) for slot in nodes.tolist()])
        present = zones != ""
        if present.any():
            _, zone_of = np.unique(zones[present], return_inverse=True)
            by_zone = _fewest_first(np.bincount(zone_of, counts[present]))
            scores[present] = scores[present] * (1 - ZONE_WEIGHT) + ZONE_WEIGHT * by_zone[zone_of]
        whole: IntArray = scores.astype(np.int64)
        return whole


def _fewest_first(counts: NumberArray) -> NumberArray:
    most = counts.max(initial=0)
    scores: NumberArray = HIGHEST * ((most - counts) / most) if most > 0 else np.full(len(counts), float(HIGHEST))
    return scores


def _zone(node: Node | None) -> str:
    """Returns the region and zone of a node, or nothing if it has neither."""
    assert node is not None
    region, zone = (next((node.labels[key] for key in keys if key in node.labels), "") for keys in (_REGIONS, _ZONES))
    return f"{region}:{zone}" if region or zone else ""
