"""What wavetank's cycle decided, in the terms of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.selection import ExactTies, select_host


@dataclass(frozen=True, slots=True)
class Preemption:
    """The result of a preemption: the nodes tried, the victims on each feasible one, and the equally best of these.

    `evicted` are the victims on the best nodes after extenders have changed them.
    """

    potential_nodes: frozenset[str]
    dry_run: Mapping[str, frozenset[str]]
    best: frozenset[str]
    evicted: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Decision:
    """One attempt of wavetank in node names; `feasible` is in the order of the cycle.

    `scores` are normalised and weighted. `reasons` counts nodes; `rejected` is the text of a PreFilter that refused
    the pod as a whole. `extenders` has the differences between the calls to extenders, `volumes` and `devices` those
    between the results of the pod's claims: (recorded, ours).
    """

    outcome: str
    message: str = ""
    feasible: Sequence[str] = ()
    scores: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    rejected: str | None = None
    hint: str | None = None
    preemption: Preemption | None = None
    extenders: tuple[object, object] | None = None
    volumes: tuple[object, object] | None = None
    devices: tuple[object, object] | None = None

    @property
    def candidates(self) -> list[str]:
        """Returns the best nodes, sorted by name."""
        best = max(self.totals.values(), default=0)
        return sorted(name for name in self.feasible if self.totals.get(name, best) == best)

    def choose(self, held: Sequence[str]) -> str | None:
        """Returns the node that is chosen if the scored nodes are in this order."""
        if set(held) != self.totals.keys():
            return None
        totals = np.array([self.totals[name] for name in held], np.int64)
        return held[select_host(totals, ExactTies())]


def decision_of(cycle: Cycle, outcome: Outcome) -> Decision:
    """Returns the decision of a cycle that has run."""
    feasible = _names(cycle, outcome.feasible.tolist())
    return Decision(
        outcome=_word(outcome),
        message=outcome.message,
        feasible=feasible,
        scores={plugin: _by_name(feasible, scores.tolist()) for plugin, scores in outcome.scores.items()},
        totals=_by_name(feasible, outcome.totals.tolist()) if len(outcome.totals) else {},
        reasons=_reasons(cycle, outcome),
        rejected=outcome.pre_filter.text if outcome.pre_filter else None,
        hint=outcome.hint or None,
        preemption=_preemption(cycle, outcome),
    )


def _preemption(cycle: Cycle, outcome: Outcome) -> Preemption | None:
    found = outcome.preemption
    if found is None:
        return None
    dry_run, evicted = (
        {node: frozenset(pod.uid for pod in victims) for node, victims in by_node.items()}
        for by_node in (found.victims_on, found.evicted_on)
    )
    return Preemption(frozenset(_names(cycle, found.potential.tolist())), dry_run, found.equally_good, evicted)


def _word(outcome: Outcome) -> str:
    if outcome.node_name:
        return "bound"
    if outcome.preemption is not None and outcome.preemption.nominated:
        return "nominated"
    return "unschedulable" if outcome.rejectors else "error"


def _names(cycle: Cycle, slots: Sequence[int]) -> list[str]:
    nodes = (cycle.table.nodes[slot] for slot in slots)
    return [node.name for node in nodes if node is not None]


def _by_name(names: Sequence[str], numbers: Sequence[int]) -> dict[str, int]:
    return dict(zip(names, numbers, strict=True))


def _reasons(cycle: Cycle, outcome: Outcome) -> Mapping[str, int]:
    if outcome.node_name or outcome.pre_filter is not None:
        return {}
    counts: Counter[str] = Counter()
    for reasons, count in cycle.refusals(outcome):
        counts.update({reason.text: count for reason in reasons})
    if outcome.elsewhere is not None:
        counts[outcome.elsewhere.text] += len(cycle.table.order) - int(np.count_nonzero(outcome.refused_by))
    return {text: count for text, count in counts.items() if count}
