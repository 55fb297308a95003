from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import PreScorePlugin, ScorePlugin

MAX_SPECS = 256  # each costs sixteen bytes a node
Weighted = tuple[tuple[int, ScorePlugin], ...]


class _Known(NamedTuple):
    """The sum of some scores for pods of one spec by slot, when each was found, and the plugins that have a say."""

    scores: IntArray
    seen: IntArray
    plugins: Weighted


class ScoreCache:
    """Caches scores that depend only on a node and its resources, until a pod is added or removed there.

    Tasks of a job are equal, and each of them changes one node only.
    """

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._known: BoundedCache[tuple[Weighted, PodSpec], _Known] = BoundedCache(MAX_SPECS)

    def total(self, plugins: Weighted, cycle: Cycle, slots: IntArray) -> IntArray:
        """Adds up scores by resources, computed only for nodes that have changed since they were the last time."""
        table = cycle.table
        known = self._recall(plugins, cycle, slots)
        stale = slots[known.seen[slots] < table.changed[slots]]
        if len(stale):
            known.scores[stale] = sum(weight * plugin.score(cycle, stale) for weight, plugin in known.plugins)
            known.seen[stale] = table.version
        found: IntArray = known.scores[slots]
        return found

    def _recall(self, plugins: Weighted, cycle: Cycle, slots: IntArray) -> _Known:
        table = cycle.table
        if table is not self._table:
            self._table = table
            self._known.clear()
        key = (plugins, cycle.pod.spec)
        known = self._known.get(key)
        if known is None or len(known.scores) < len(table.nodes):
            size = len(table.changed)
            asked = tuple((weight, plugin) for weight, plugin in plugins if _has_a_say(plugin, cycle, slots))
            known = _Known(np.zeros(size, np.int64), np.full(size, -1, np.int64), asked)
            self._known.keep(key, known, cycle.pod.spec.is_large)
        return known


def _has_a_say(plugin: ScorePlugin, cycle: Cycle, slots: IntArray) -> bool:
    return not isinstance(plugin, PreScorePlugin) or plugin.pre_score(cycle, slots)
