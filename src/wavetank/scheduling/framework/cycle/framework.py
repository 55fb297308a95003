from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.boundedcache import MAX_FAMILIES, BoundedCache
from wavetank.scheduling.framework.cycle.batching import Batch
from wavetank.scheduling.framework.cycle.extenderfilter import ExtenderFilter
from wavetank.scheduling.framework.cycle.plan import Plan
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.extenders.extenders import Extenders
from wavetank.scheduling.framework.nodes.nominatedrequests import NominatedRequestTable
from wavetank.scheduling.framework.plugin import (
    FilterPlugin,
    PermitPlugin,
    Plugin,
    PostFilterPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    ReservePlugin,
    ScorePlugin,
)

P = TypeVar("P", bound=Plugin)


class Framework:
    """The plugins of one profile, by extension point, in the order in which they run."""

    def __init__(
        self,
        scheduler_name: str,
        points: Mapping[str, Sequence[Plugin]],
        weights: Mapping[str, int],
        percentage_of_nodes_to_score: int = 0,
        impure: frozenset[str] = frozenset(),
        extenders: Extenders | None = None,
        batch: Batch | None = None,
        prefers_nominated: bool = True,
    ) -> None:
        self.scheduler_name = scheduler_name
        self.percentage_of_nodes_to_score = percentage_of_nodes_to_score
        self.weights = weights
        self.extenders = extenders or Extenders()
        self.batch = batch
        self.prefers_nominated = prefers_nominated  # whether the nominated node is tried before the others
        self._impure = impure | ({ExtenderFilter.name} if self.extenders else set())
        self.pre_enqueue = _at(points, "preEnqueue", PreEnqueuePlugin)
        self.pre_filter = _at(points, "preFilter", PreFilterPlugin)
        self.filter = _at(points, "filter", FilterPlugin)
        extender_filter = ExtenderFilter()
        self.rejecting_filters = (*self.filter, extender_filter)  # in the order of Outcome.refused_by
        self.post_filter = _at(points, "postFilter", PostFilterPlugin)
        self.pre_score = _at(points, "preScore", PreScorePlugin)
        self.score = _at(points, "score", ScorePlugin)
        self.reserve = _at(points, "reserve", ReservePlugin)
        self.permit = _at(points, "permit", PermitPlugin)
        self.pre_bind = _at(points, "preBind", PreBindPlugin)
        self.nominated = NominatedRequestTable()
        self._plans: BoundedCache[object, Plan] = BoundedCache(MAX_FAMILIES)
        self.hints = _hints({plugin.name: plugin for plugins in points.values() for plugin in plugins})
        self.hints[extender_filter.name] = extender_filter.events()

    def plan_for(self, spec: PodSpec) -> Plan:
        """Returns the plugins for pods of the spec's family; the least recently added family is dropped first."""
        return self._plans.get(spec.family) or self._plans.keep(spec.family, Plan(self, spec), spec.is_large)

    def fails_for_all(self, rejectors: frozenset[str]) -> bool:
        """Returns whether a failure by these plugins holds for any pod of the same spec on the same nodes.

        Filters that depend on more than that (a user's or an extender's) must not have rejected a node; if no plugin
        is known to have rejected one, that cannot be told.
        """
        return not self._impure or (bool(rejectors) and not self._impure & rejectors)

    def nodes_to_find(self, nodes: int) -> int:
        """Returns how many feasible nodes are enough among so many: kube-scheduler's adaptive sampling."""
        if not self.score and not self.extenders.judge_nodes:
            return 1
        if nodes < 100:
            return nodes
        percentage = self.percentage_of_nodes_to_score or max(5, 50 - nodes // 125)
        return max(100, nodes * percentage // 100)


def _at(points: Mapping[str, Sequence[Plugin]], point: str, base: type[P]) -> tuple[P, ...]:
    return tuple(plugin for plugin in points.get(point, ()) if isinstance(plugin, base))


def _hints(plugins: Mapping[str, Plugin]) -> dict[str, Mapping[ClusterEvent, Hint]]:
    hints: dict[str, Mapping[ClusterEvent, Hint]] = {}
    for name, plugin in plugins.items():
        events = dict(plugin.events())
        if ClusterEvent.NODE_ADD in events:
            # kube-scheduler may miss that a node was added behind a taint, and wakes these at any change of taints
            events.setdefault(ClusterEvent.NODE_TAINT, always)
        hints[name] = events
    return hints
