"""The fast path of a cycle: plugins exclude nodes, one compiled search finds and scores the others, plugins add scores.

It keeps no tables, and finds the same node as a full cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.plugin import SLOTS, FastPathPlugin, PreScorePlugin, ScorePlugin, SearchResult
from wavetank.scheduling.framework.static import StaticFilter

if TYPE_CHECKING:
    from wavetank.scheduling.framework.cycle.cycle import Cycle


def fast_path_plugins(cycle: Cycle) -> list[FastPathPlugin] | None:
    """Returns the plugins that take part besides the fast filter; None if the fast path is not possible now."""
    plan, table = cycle.plan, cycle.table
    table.begin_cycle()
    plan.catch_up(table)
    if plan.fast_filter is None or cycle.pod.nominated_node:
        return None
    participants: list[FastPathPlugin] = []
    for plugin in plan.undecided:
        if not plugin.passes_now(cycle):
            if not isinstance(plugin, FastPathPlugin):
                return None
            participants.append(plugin)
    return participants


def fits_pinned(cycle: Cycle) -> bool:
    """Returns whether a pod fits on the one node that it names; False also if more than the fast filter decides it."""
    plan = cycle.plan
    if plan.pinned < 0 or cycle.pod.nominated_node or not cycle.table.nominator.is_empty:
        return False
    return all(plugin.passes_now(cycle) for plugin in plan.undecided) and plan.fits_pinned(cycle)


def fast_search(cycle: Cycle, participants: list[FastPathPlugin], start: int) -> SearchResult:
    """Searches once, and again as long as nodes are found that pods nominated to them need."""
    fast_filter, excluded, nominator = cycle.plan.fast_filter, cycle.plan.excluded, cycle.table.nominator
    assert fast_filter is not None
    if nominator.is_empty and not participants:
        return fast_filter.search(cycle, excluded, start)
    excluded = excluded.copy()
    for plugin in participants:
        plugin.exclude(cycle, excluded)
    result = fast_filter.search(cycle, excluded, start)
    fitting: set[int] = set()
    while not nominator.is_empty and _exclude_needed(cycle, _looked_at(cycle, start, result), excluded, fitting):
        result = fast_filter.search(cycle, excluded, start)
    return result


def _looked_at(cycle: Cycle, start: int, result: SearchResult) -> IntArray:
    """Returns the slots of the nodes that a search has found, and of the one too many at which it has ended."""
    looked_at, number, _ = result
    plan = cycle.plan
    assert plan.fast_filter is not None
    found = plan.fast_filter.found[SLOTS, :number]
    if looked_at == len(plan.order):
        return found
    return np.append(found, int(plan.order[(start + looked_at) % len(plan.order)]))


def _exclude_needed(cycle: Cycle, found: IntArray, excluded: BoolArray, fitting: set[int]) -> bool:
    """Excludes nodes found where the pod does not fit beside nominated pods; returns whether there are any.

    The others are added to `fitting` and not tried again.
    """
    if not cycle.skipped:
        idle = (plugin.name for plugin in cycle.plan.pre_filter if plugin.pre_filter(cycle).skip)
        cycle.skipped.update(cycle.plan.skipped, idle)
    if only_fast_filter_decides(cycle):
        needed = found[refused_beside_nominated(cycle, found)[0]].tolist()
    else:
        slots = [slot for slot in found.tolist() if slot not in fitting]
        doubtful = [slot for slot in slots if cycle.nominated_to(cycle.name_of(slot))]
        needed = [slot for slot in doubtful if cycle.refusal(slot) is not None]
        fitting.update(slots)
    excluded[needed] = True
    return bool(needed)


def only_fast_filter_decides(cycle: Cycle) -> bool:
    """Returns whether pods that come or leave can change no filter's answer but the fast filter's; after PreFilter."""
    plan = cycle.plan
    plan.catch_up(cycle.table)
    if plan.fast_filter is None:
        return False
    return all(
        plugin is plan.fast_filter
        or isinstance(plugin, StaticFilter)
        or plugin.name in cycle.skipped
        or plugin.passes_now(cycle)
        for _, plugin in plan.filter
    )


def refused_beside_nominated(cycle: Cycle, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """Returns the positions of nodes that the fast filter rejects beside the pods nominated to them, and its codes."""
    assert cycle.plan.fast_filter is not None
    nominated = cycle.framework.nominated.of_others(cycle.pod, cycle.table)
    places = np.flatnonzero(nominated.pods[nodes])
    codes = cycle.plan.fast_filter.filter_with_nominated(cycle, nodes[places], nominated)
    return places[codes != 0], codes[codes != 0]


def rate(cycle: Cycle, participants: list[FastPathPlugin], nodes: IntArray, totals: NumberArray) -> NumberArray:
    """Adds the other scores of the nodes found to their totals."""
    for plugin in (*cycle.plan.uneven, *participants):
        if not isinstance(plugin, ScorePlugin) or plugin not in cycle.framework.score:
            continue  # it only filters, by itself or in this profile
        if not isinstance(plugin, PreScorePlugin) or plugin.pre_score(cycle, nodes):
            totals = totals + plugin.normalize(plugin.score(cycle, nodes)) * cycle.framework.weights[plugin.name]
    return totals
