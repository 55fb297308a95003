from __future__ import annotations

import numpy as np

from wavetank.cluster.podspec import PodSpec
from wavetank.scheduling.framework.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.cycle import Cycle
from wavetank.scheduling.framework.memory import Memory
from wavetank.scheduling.framework.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import MeasurePlugin, ScorePlugin

MAX_SPECS = 256  # per plugin; each costs sixteen bytes a node


class ScoreMemory:
    """Remembers the scores of plugins that read nothing of a node but its resources, until something comes or goes.

    Tasks of a job are alike, and each of them changes one node only.
    """

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._known: Memory[tuple[int, PodSpec], tuple[IntArray, IntArray]] = Memory(MAX_SPECS)

    def score(self, plugin: ScorePlugin, cycle: Cycle, slots: IntArray) -> NumberArray:
        """Returns the plugin's scores, computed only for nodes that have changed since they were the last time."""
        if not isinstance(plugin, MeasurePlugin):
            return plugin.score(cycle, slots)
        table = cycle.table
        scores, seen = self._recall(plugin, cycle)
        stale = slots[seen[slots] < table.changed[slots]]
        if len(stale):
            scores[stale] = plugin.score(cycle, stale)
            seen[stale] = table.version
        found: IntArray = scores[slots]
        return found

    def _recall(self, plugin: ScorePlugin, cycle: Cycle) -> tuple[IntArray, IntArray]:
        table = cycle.table
        if table is not self._table:
            self._table = table
            self._known.clear()
        key = (id(plugin), cycle.pod.spec)
        known = self._known.get(key)
        if known is None or len(known[0]) < len(table.nodes):
            size = len(table.changed)
            known = self._known.keep(key, (np.zeros(size, np.int64), np.full(size, -1, np.int64)))
        return known
