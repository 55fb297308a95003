"""The answers of extenders in the tables of a cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import FilterPlugin, Reason

if TYPE_CHECKING:
    from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome


class ExtenderFilter(FilterPlugin):
    """All extenders as one more filter after the others; its codes number their reasons in a cycle."""

    name = "Extender"

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns an extender's reason."""
        return (cycle.state[self.name][code - 1],)

    def events(self) -> dict[ClusterEvent, Hint]:
        """Any event may help, since an extender cannot name those that would."""
        return dict.fromkeys(ClusterEvent, always)


def pass_extenders(cycle: Cycle, outcome: Outcome) -> None:
    """Keeps the feasible nodes that the extenders keep; a node that one drops without a reason is not counted."""
    answer = cycle.framework.extenders.filter(cycle.pod, _nodes(cycle, outcome.feasible))
    slots = cycle.table.slots
    outcome.feasible = np.array([slots[node.name] for node in answer.nodes], np.int64)
    outcome.without_pods = answer.without_pods
    reasons = cycle.state[ExtenderFilter.name] = list(dict.fromkeys(answer.refused.values()))
    for name, reason in answer.refused.items():
        place = outcome.nodes == slots.get(name, -1)
        outcome.refused_by[place] = len(cycle.framework.filter) + 1
        outcome.codes[place] = reasons.index(reason) + 1


def add_priorities(cycle: Cycle, outcome: Outcome) -> None:
    """Adds the extenders' scores to the totals, and marks the nodes that they have listed."""
    nodes = _nodes(cycle, outcome.feasible)
    outcome.listed = np.zeros(len(nodes), np.bool_)
    found: dict[str, IntArray] = {}
    for name, scores in cycle.framework.extenders.prioritize(cycle.pod, nodes).items():
        added = found[name] = np.array([scores.get(node.name, 0) for node in nodes], np.int64)
        outcome.totals = outcome.totals + added
        outcome.listed |= np.array([node.name in scores for node in nodes])
    outcome.extender_scores = found


def _nodes(cycle: Cycle, slots: IntArray) -> list[Node]:
    return [node for slot in slots.tolist() if (node := cycle.table.nodes[slot]) is not None]
