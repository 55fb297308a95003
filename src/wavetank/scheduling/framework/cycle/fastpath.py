"""How a cycle finds nodes without tables: one sweep, before which plugins bar nodes, and after which they rate them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.plugin import SLOTS, JoiningPlugin, PreScorePlugin, ScorePlugin, Swept
from wavetank.scheduling.framework.static import StaticFilter

if TYPE_CHECKING:
    from wavetank.scheduling.framework.cycle.cycle import Cycle


def who_joins(cycle: Cycle) -> list[JoiningPlugin] | None:
    """Returns who has a say besides the sweep as things stand; None if there can be no sweep."""
    plan, table = cycle.plan, cycle.table
    table.begin_cycle()
    plan.catch_up(table)
    if plan.sweeper is None or cycle.pod.nominated_node:
        return None
    joining: list[JoiningPlugin] = []
    for plugin in plan.undecided:
        if not plugin.passes_now(cycle):
            if not isinstance(plugin, JoiningPlugin):
                return None
            joining.append(plugin)
    return joining


def search(cycle: Cycle, joining: list[JoiningPlugin], start: int) -> Swept:
    """Sweeps once, and again as long as nodes are found that have to be left to pods nominated to them."""
    sweeper, barred, nominator = cycle.plan.sweeper, cycle.plan.barred, cycle.table.nominator
    assert sweeper is not None
    if nominator.is_empty and not joining:
        return sweeper.sweep(cycle, barred, start)
    barred = barred.copy()
    for plugin in joining:
        plugin.bar(cycle, barred)
    swept = sweeper.sweep(cycle, barred, start)
    welcome: set[int] = set()
    while not nominator.is_empty and _is_taken(cycle, sweeper.found[SLOTS, : swept[1]], barred, welcome):
        swept = sweeper.sweep(cycle, barred, start)
    return swept


def _is_taken(cycle: Cycle, found: IntArray, barred: BoolArray, welcome: set[int]) -> bool:
    """Bars nodes found where there is no room beside pods nominated to them; tells whether there are any.

    The others become `welcome`, and are not tried again.
    """
    if not cycle.skipped:
        idle = (plugin.name for plugin in cycle.plan.pre_filter if plugin.pre_filter(cycle).skip)
        cycle.skipped.update(cycle.plan.skipped, idle)
    if only_sweeper_refuses(cycle):
        taken = found[lacking_beside_nominated(cycle, found)[0]].tolist()
    else:
        slots = [slot for slot in found.tolist() if slot not in welcome]
        doubtful = [slot for slot in slots if cycle.nominated_to(cycle.name_of(slot))]
        taken = [slot for slot in doubtful if cycle.refusal(slot) is not None]
        welcome.update(slots)
    barred[taken] = True
    return bool(taken)


def only_sweeper_refuses(cycle: Cycle) -> bool:
    """Tells whether, whoever comes or leaves, no filter but the sweeper can change its answer; after PreFilter."""
    plan = cycle.plan
    plan.catch_up(cycle.table)
    if plan.sweeper is None:
        return False
    return all(
        plugin is plan.sweeper
        or isinstance(plugin, StaticFilter)
        or plugin.name in cycle.skipped
        or plugin.passes_now(cycle)
        for _, plugin in plan.filter
    )


def lacking_beside_nominated(cycle: Cycle, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """Returns where among the nodes the sweeper refuses the pod if those nominated there are counted, and its codes."""
    assert cycle.plan.sweeper is not None
    room = cycle.framework.nominated.beside(cycle.pod, cycle.table)
    places = np.flatnonzero(room.pods[nodes])
    codes = cycle.plan.sweeper.filter_beside(cycle, nodes[places], room)
    return places[codes != 0], codes[codes != 0]


def rate(cycle: Cycle, joining: list[JoiningPlugin], nodes: IntArray, totals: NumberArray) -> NumberArray:
    """Adds to the totals of a sweep what other scores say of the nodes found."""
    for plugin in (*cycle.plan.uneven, *joining):
        if not isinstance(plugin, ScorePlugin) or plugin not in cycle.framework.score:
            continue  # it only filters, by itself or in this profile
        if not isinstance(plugin, PreScorePlugin) or plugin.pre_score(cycle, nodes):
            totals = totals + plugin.normalize(plugin.score(cycle, nodes)) * cycle.framework.weights[plugin.name]
    return totals
