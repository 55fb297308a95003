"""One scheduling attempt: which nodes were refused and why, and how the others were scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import ScoreStep

BOUND, UNSCHEDULABLE, NOMINATED, ERROR = "bound", "unschedulable", "nominated", "error"
OUTCOMES = (BOUND, UNSCHEDULABLE, NOMINATED, ERROR)  # of an attempt, in the order of their codes in a recording

Number = int | float


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer of a plugin that refuses: its name, and its reasons."""

    plugin: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One attempt at one pod, in the names of nodes; without an attempt (`attempt` is 0) only `outcome` says why.

    `time` is None outside of a run. `nodes` is the size of the cluster, `evaluated` how many of them were looked at.
    `filtered` names the refused nodes and `refusals` counts them; `rejected` is a refusal of the pod as a whole.
    Scores are normalised and weighted. `chosen` is where the pod went; it `diverged` if that was given and is none
    of the best nodes. `steps` are how plugins that can tell came to their scores; a recording has none. A recording
    may have kept only some nodes: `feasible`, `scores`, `totals` and `candidates` are of those, and `filtered` of
    none, whereas the counts are always of all.
    """

    pod: str
    outcome: str
    time: Nanoseconds | None = None
    attempt: int = 0
    nodes: int = 0
    evaluated: int = 0
    feasible_count: int = 0
    candidate_count: int = 0
    feasible: Sequence[str] = ()
    filtered: Mapping[str, Refusal] = field(default_factory=dict)
    refusals: Mapping[Refusal, int] = field(default_factory=dict)
    rejected: Refusal | None = None
    scores: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    totals: Mapping[str, Number] = field(default_factory=dict)
    steps: Mapping[str, Sequence[ScoreStep]] = field(default_factory=dict)
    candidates: Sequence[str] = ()
    chosen: str | None = None
    message: str = ""
    nominated: str | None = None
    victims: Sequence[str] = ()
    diverged: bool = False


def explain_attempt(pod: Pod, outcome: Outcome, cycle: Cycle, attempt: int) -> Explanation:
    """Explains a cycle that has just run, from its tables."""
    feasible = _names(cycle, outcome.feasible)
    best = _names(cycle, outcome.feasible[best_positions(outcome)])
    refused = [(refusal, _names(cycle, slots)) for refusal, slots in refusals_of(cycle, outcome)]
    named = [(name, refusal) for refusal, names in refused for name in names]
    preemption = outcome.preemption
    return Explanation(
        pod=key_of(pod),
        outcome=word_of(outcome),
        attempt=attempt,
        nodes=len(cycle.table.order),
        evaluated=len(outcome.nodes),
        feasible_count=len(feasible),
        candidate_count=len(best),
        feasible=sorted(feasible),
        filtered=dict(sorted(named, key=itemgetter(0))),
        refusals={refusal: len(names) for refusal, names in refused if names},
        rejected=rejection_of(outcome),
        scores={plugin: _by_name(feasible, scores) for plugin, scores in scores_of(outcome).items()},
        totals=_by_name(feasible, outcome.totals) if len(outcome.totals) else {},
        steps=_steps(cycle, outcome),
        candidates=sorted(best),
        chosen=outcome.node_name or None,
        message=outcome.message,
        nominated=(preemption.nominated or None) if preemption else None,
        victims=[key_of(victim) for victim in preemption.victims] if preemption else (),
    )


def _steps(cycle: Cycle, outcome: Outcome) -> dict[str, Sequence[ScoreStep]]:
    if not len(outcome.totals):
        return {}
    told = ((plugin.name, plugin.explain(cycle, outcome.feasible)) for plugin in cycle.framework.score)
    return {name: steps for name, steps in told if steps}


def word_of(outcome: Outcome) -> str:
    """Returns the outcome of an attempt: one of OUTCOMES."""
    if outcome.node_name:
        return BOUND
    if outcome.preemption is not None and outcome.preemption.nominated:
        return NOMINATED
    return UNSCHEDULABLE if outcome.rejectors else ERROR


def key_of(pod: Pod) -> str:
    """Returns namespace/name."""
    return f"{pod.namespace}/{pod.name}"


def best_positions(outcome: Outcome) -> IntArray:
    """Returns the positions in `feasible` of the nodes with the highest total; nodes that were not scored are equal."""
    if not len(outcome.totals):
        return np.arange(len(outcome.feasible))
    return np.flatnonzero(outcome.totals == outcome.totals.max())


def scores_of(outcome: Outcome) -> Mapping[str, NumberArray]:
    """Returns what each plugin, and each extender, has added to the totals."""
    return {**outcome.scores, **outcome.extender_scores}


def rejection_of(outcome: Outcome) -> Refusal | None:
    """Returns the refusal of the pod as a whole, by a PreFilter."""
    if outcome.pre_filter is None:
        return None
    return Refusal(" ".join(sorted(outcome.rejectors)), (outcome.pre_filter.text,))


def refusals_of(cycle: Cycle, outcome: Outcome) -> Iterator[tuple[Refusal, IntArray]]:
    """Yields each distinct answer of a filter with the slots of the nodes that got it, in the order of the filters."""
    for index in np.unique(outcome.refused_by[outcome.refused_by > 0]):
        plugin = cycle.framework.rejecting_filters[index - 1]
        refused = outcome.refused_by == index
        for code in np.unique(outcome.codes[refused]):
            reasons = tuple(reason.text for reason in plugin.reasons(cycle, int(code)))
            yield Refusal(plugin.name, reasons), outcome.nodes[refused & (outcome.codes == code)]
    if outcome.elsewhere is not None:
        outside = np.setdiff1d(cycle.table.order, outcome.nodes)
        yield Refusal(" ".join(sorted(outcome.narrowed_by)), (outcome.elsewhere.text,)), outside


def _names(cycle: Cycle, slots: IntArray) -> list[str]:
    nodes = (cycle.table.nodes[slot] for slot in slots.tolist())
    return [node.name for node in nodes if node is not None]


def _by_name(names: Sequence[str], numbers: NumberArray) -> dict[str, Number]:
    return dict(sorted(zip(names, numbers.tolist(), strict=True)))
