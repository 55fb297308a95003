from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.nodes.arrays import BoolArray, SlotArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import FilterPlugin, MeasurePlugin, Plugin, ScorePlugin, SweepPlugin
from wavetank.scheduling.framework.static import StaticFilter, StaticScore

if TYPE_CHECKING:
    from wavetank.scheduling.framework.framework import Framework


P = TypeVar("P", bound=Plugin)


class Plan:
    """Who has a say in pods of one family, as far as their spec and the nodes themselves settle it.

    A plugin that ignores the family is never asked. Where the only filter left is a SweepPlugin, besides static ones
    whose answers are `barred` and those who join it, an attempt is a single sweep, after which the `uneven` scores and
    those who joined rate the nodes found.
    """

    def __init__(self, framework: Framework, spec: PodSpec) -> None:
        self._framework = framework
        self._spec = spec
        self._node_changes = -1
        self.pre_filter = _interested(framework.pre_filter, spec)
        self.filter = [(i, plugin) for i, plugin in enumerate(framework.filter) if not plugin.ignores(spec)]
        self.skipped = frozenset(plugin.name for plugin in framework.pre_filter if plugin.ignores(spec))
        self.pre_score = _interested(framework.pre_score, spec)
        self.score = _interested(framework.score, spec)
        self.reserve = [plugin for plugin in _interested(framework.reserve, spec) if not plugin.passes_spec(spec)]
        self.pre_bind = [plugin for plugin in _interested(framework.pre_bind, spec) if not plugin.passes_spec(spec)]
        filters: list[FilterPlugin] = [plugin for _, plugin in self.filter]
        self._static_filters = [plugin for plugin in filters if isinstance(plugin, StaticFilter)]
        self._static_scores = [plugin for plugin in self.score if isinstance(plugin, StaticScore)]
        self.measures = [
            (framework.weights[plugin.name], plugin) for plugin in self.score if isinstance(plugin, MeasurePlugin)
        ]
        sweepers = [plugin for plugin in filters if isinstance(plugin, SweepPlugin)]
        self._sweeper = sweepers[0] if len(sweepers) == 1 and not framework.extenders and not framework.batch else None
        known = {id(plugin) for plugin in (*self._static_filters, *self._static_scores, *sweepers)}
        known |= {id(plugin) for _, plugin in self.measures}
        asked: Sequence[Plugin] = [*self.pre_filter, *filters, *self.pre_score, *self.score]
        doubtful = [plugin for plugin in asked if id(plugin) not in known and not plugin.passes_spec(spec)]
        self.undecided = list({id(plugin): plugin for plugin in doubtful}.values())
        self.sweeper: SweepPlugin | None = None
        self.order: SlotArray = np.zeros(0, np.uint64)  # the slots of all nodes, in the order of the table
        self.enough = 0  # so many feasible ones are searched for
        self.barred: BoolArray = np.zeros(0, np.bool_)
        self.uneven: list[ScorePlugin] = []  # static scores that prefer some nodes

    def catch_up(self, table: NodeTable) -> None:
        """Takes in what has become of the nodes since the last time."""
        if self._node_changes == len(table.node_changes):
            return
        self._node_changes = len(table.node_changes)
        self.order = table.order.view(np.uint64)
        self.enough = self._framework.nodes_to_find(len(self.order))
        self.barred = np.zeros(len(table.cells), np.bool_)
        settled = True
        for plugin in self._static_filters:
            codes = plugin.codes(self._spec, table)
            settled &= codes is not None
            if codes is not None:
                self.barred[: len(codes)] |= codes[: len(self.barred)] != 0
        self.uneven = [plugin for plugin in self._static_scores if not plugin.is_even(self._spec, table)]
        self.sweeper = self._sweeper if settled and len(self.order) else None


def _interested(plugins: Sequence[P], spec: PodSpec) -> list[P]:
    return [plugin for plugin in plugins if not plugin.ignores(spec)]
