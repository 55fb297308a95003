"""How a cycle finds nodes without tables: one sweep, before which plugins bar nodes, and after which they rate them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.scheduling.framework.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.plugin import JoiningPlugin, PreScorePlugin, ScorePlugin, Swept

if TYPE_CHECKING:
    from wavetank.scheduling.framework.cycle import Cycle


def who_joins(cycle: Cycle) -> list[JoiningPlugin] | None:
    """Returns who has a say besides the sweep as things stand; None if there can be no sweep."""
    plan, table = cycle.plan, cycle.table
    table.begin_cycle()
    plan.catch_up(table)
    if plan.sweeper is None or cycle.pod.nominated_node:
        return None
    joining: list[JoiningPlugin] = []
    for plugin in plan.undecided:
        if not plugin.has_no_say(cycle):
            if not isinstance(plugin, JoiningPlugin):
                return None
            joining.append(plugin)
    return joining


def search(cycle: Cycle, joining: list[JoiningPlugin], start: int) -> Swept:
    """Sweeps once, and again as long as nodes are found that have to be left to pods nominated to them."""
    plan, nominator = cycle.plan, cycle.table.nominator
    assert plan.sweeper is not None
    barred = plan.barred if nominator.is_empty and not joining else plan.barred.copy()
    for plugin in joining:
        plugin.bar(cycle, barred)
    enough = cycle.framework.nodes_to_find(len(cycle.table.order))
    swept = plan.sweeper.sweep(cycle, plan, barred, start, enough)
    welcome: set[int] = set()
    while not nominator.is_empty and _is_taken(cycle, swept[1], barred, welcome):
        swept = plan.sweeper.sweep(cycle, plan, barred, start, enough)
    return swept


def _is_taken(cycle: Cycle, found: IntArray, barred: BoolArray, welcome: set[int]) -> bool:
    """Bars nodes found where there is no room beside pods nominated to them; tells whether there are any.

    The others become `welcome`, and are not tried again.
    """
    names = [(slot, cycle.name_of(slot)) for slot in found.tolist() if slot not in welcome]
    doubtful = [slot for slot, name in names if cycle.nominated_to(name)]
    if doubtful and not cycle.skipped:
        idle = (plugin.name for plugin in cycle.plan.pre_filter if plugin.pre_filter(cycle).skip)
        cycle.skipped.update(cycle.plan.skipped, idle)
    taken = [slot for slot in doubtful if cycle.refusal(slot) is not None]
    welcome.update(slot for slot, _ in names)
    barred[taken] = True
    return bool(taken)


def rate(cycle: Cycle, joining: list[JoiningPlugin], nodes: IntArray, totals: NumberArray) -> NumberArray:
    """Adds to the totals of a sweep what other scores say of the nodes found."""
    for plugin in (*cycle.plan.uneven, *joining):
        if isinstance(plugin, ScorePlugin) and (
            not isinstance(plugin, PreScorePlugin) or plugin.pre_score(cycle, nodes)
        ):
            totals = totals + plugin.normalize(plugin.score(cycle, nodes)) * cycle.framework.weights[plugin.name]
    return totals
