from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.nodes.arrays import BoolArray, SlotArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import (
    CompiledScorePlugin,
    FastFilterPlugin,
    FilterPlugin,
    Plugin,
    ScorePlugin,
)
from wavetank.scheduling.framework.static import StaticFilter, StaticScore

if TYPE_CHECKING:
    from wavetank.scheduling.framework.cycle.cycle import Cycle
    from wavetank.scheduling.framework.cycle.framework import Framework


P = TypeVar("P", bound=Plugin)


class Plan:
    """The plugins that take part in cycles of pods of one family, as far as their spec and the nodes decide it.

    Plugins that skip the family are never called. The fast path is possible if the other filters are one
    FastFilterPlugin, static filters, whose answers are in `excluded`, and FastPathPlugins: a cycle is then one search
    by the fast filter, after which the `uneven` scores and the FastPathPlugins score the nodes found. Pods that name
    their only node need no search: it is in the slot `pinned`, -1 if a static filter rejects it.
    """

    def __init__(self, framework: Framework, spec: PodSpec) -> None:
        self._framework = framework
        self._spec = spec
        self._node_changes = -1
        self.pre_filter = _interested(framework.pre_filter, spec)
        self.filter = [(i, plugin) for i, plugin in enumerate(framework.filter) if not plugin.skips_family(spec)]
        self.skipped = frozenset(plugin.name for plugin in framework.pre_filter if plugin.skips_family(spec))
        self.pre_score = _interested(framework.pre_score, spec)
        self.score = _interested(framework.score, spec)
        self.reserve = [plugin for plugin in _interested(framework.reserve, spec) if not plugin.passes_spec(spec)]
        self.pre_bind = [plugin for plugin in _interested(framework.pre_bind, spec) if not plugin.passes_spec(spec)]
        filters: list[FilterPlugin] = [plugin for _, plugin in self.filter]
        self._static_filters = [plugin for plugin in filters if isinstance(plugin, StaticFilter)]
        self._static_scores = [plugin for plugin in self.score if isinstance(plugin, StaticScore)]
        self.compiled_scores = [
            (framework.weights[plugin.name], plugin) for plugin in self.score if isinstance(plugin, CompiledScorePlugin)
        ]
        fast_filters = [plugin for plugin in filters if isinstance(plugin, FastFilterPlugin)]
        has_fast_path = len(fast_filters) == 1 and not framework.extenders and not framework.batch
        self._fast_filter = fast_filters[0] if has_fast_path else None
        known = {id(plugin) for plugin in (*self._static_filters, *self._static_scores, *fast_filters)}
        known |= {id(plugin) for _, plugin in self.compiled_scores}
        asked: Sequence[Plugin] = [*self.pre_filter, *filters, *self.pre_score, *self.score]
        doubtful = [plugin for plugin in asked if id(plugin) not in known and not plugin.passes_spec(spec)]
        self.undecided = list({id(plugin): plugin for plugin in doubtful}.values())
        self.fast_filter: FastFilterPlugin | None = None
        self.pinned = -1
        self.order: SlotArray = np.zeros(0, np.uint64)  # the slots of all nodes, in the order of the table
        self.enough = 0  # how many feasible nodes are searched for
        self.excluded: BoolArray = np.zeros(0, np.bool_)
        self.uneven: list[ScorePlugin] = []  # static scores that are not the same for all nodes

    def catch_up(self, table: NodeTable) -> None:
        """Applies the changes of nodes since the last call."""
        if self._node_changes == len(table.node_changes):
            return
        self._node_changes = len(table.node_changes)
        self.order = table.order.view(np.uint64)
        self.enough = self._framework.nodes_to_find(len(self.order))
        self.excluded = np.zeros(len(table.cells), np.bool_)
        settled = True
        for plugin in self._static_filters:
            codes = plugin.codes(self._spec, table)
            settled &= codes is not None
            if codes is not None:
                self.excluded[: len(codes)] |= codes[: len(self.excluded)] != 0
        self.uneven = [plugin for plugin in self._static_scores if not plugin.is_even(self._spec, table)]
        self.fast_filter = self._fast_filter if settled and len(self.order) else None
        self.pinned = -1 if settled or self._fast_filter is None else self._only_slot(table)

    def _only_slot(self, table: NodeTable) -> int:
        """Returns the slot of the one node that the spec names, if it passes the static filters; else -1."""
        required = self._spec.node_affinity.required
        names = None if required is None else required.names
        slot = table.slots.get(next(iter(names)), -1) if names is not None and len(names) == 1 else -1
        if slot < 0 or table.nodes[slot] is None or self.excluded[slot]:
            return -1
        asked = {id(plugin) for plugin in self.pre_filter}  # one that is not asked there does not narrow the search
        for plugin in self._static_filters:
            if plugin.codes(self._spec, table) is None:
                codes = plugin.evaluate(plugin.facet(self._spec), np.array([slot]), table)
                if codes[0] or id(plugin) not in asked:
                    return -1
        return slot

    def fits_pinned(self, cycle: Cycle) -> bool:
        """Returns whether a pod fits on its only node, as far as the fast filter decides it."""
        assert self._fast_filter is not None
        return not self._fast_filter.filter(cycle, np.array([self.pinned]))[0]


def _interested(plugins: Sequence[P], spec: PodSpec) -> list[P]:
    return [plugin for plugin in plugins if not plugin.skips_family(spec)]
