"""How far wavetank agrees with a recording: the aspects of an attempt, and the counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from wavetank.verification.decisions.decision import Decision
from wavetank.verification.decisions.recording import Attempt

Pair = tuple[object, object]  # recorded, ours


@dataclass(slots=True)
class Count:
    """How many comparisons there were, and how many were equal."""

    equal: int = 0
    compared: int = 0

    def add(self, equal: int, compared: int = 1) -> None:
        """Counts one comparison, or several."""
        self.equal += equal
        self.compared += compared


@dataclass(slots=True)
class Agreement:
    """The counts of some recordings: files, attempts, aspects of attempts, and single scores of plugins.

    A file or an attempt counts as equal if every aspect is equal.
    """

    files: Count = field(default_factory=Count)
    attempts: Count = field(default_factory=Count)
    aspects: dict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    plugins: dict[str, Count] = field(default_factory=lambda: defaultdict(Count))

    def include(self, other: Agreement) -> None:
        """Adds the counts of other recordings."""
        self.files.add(other.files.equal, other.files.compared)
        self.attempts.add(other.attempts.equal, other.attempts.compared)
        for mine, theirs in ((self.aspects, other.aspects), (self.plugins, other.plugins)):
            for name, count in theirs.items():
                mine[name].add(count.equal, count.compared)


def compared_aspects(attempt: Attempt, ours: Decision, knows_order: bool) -> Iterator[tuple[str, Pair]]:
    """Yields (aspect, (recorded, ours)); the order of nodes only if it is known."""
    for aspect, compare in _COMPARISONS.items():
        if aspect != "order" or knows_order:
            pair = compare(attempt, ours)
            if pair is not None:
                yield aspect, pair


def compared_scores(attempt: Attempt, ours: Decision) -> dict[str, Count]:
    """Counts the equal scores of each plugin, if the same nodes were scored."""
    if sorted(ours.totals) != attempt.feasible:
        return {}
    counts = {}
    for plugin in {**attempt.scores, **ours.scores}:
        nodes = attempt.feasible
        equal = sum(_score(attempt.scores, plugin, node) == _score(ours.scores, plugin, node) for node in nodes)
        counts[plugin] = Count(equal, len(nodes))
    return counts


def _score(scores: Mapping[str, Mapping[str, int]], plugin: str, node: str) -> int:
    # a plugin that skipped scoring adds the same as one that gave zeros
    return scores.get(plugin, {}).get(node, 0)


# one function per aspect: returns (recorded, ours), or None if the record has nothing about it


def _feasible(attempt: Attempt, ours: Decision) -> Pair:
    return attempt.feasible, sorted(ours.feasible)


def _order(attempt: Attempt, ours: Decision) -> Pair | None:
    if not attempt.held or sorted(ours.feasible) != sorted(attempt.held):
        return None
    start = ours.feasible.index(attempt.held[0])
    return attempt.held, [*ours.feasible[start:], *ours.feasible[:start]]


def _scores(attempt: Attempt, ours: Decision) -> Pair | None:
    """Returns only the scores that differ: a whole table would be too long to read."""
    if attempt.scoring_skipped is not None:
        return None
    differing = [
        (plugin, node)
        for plugin in {**attempt.scores, **ours.scores}
        for node in sorted({*attempt.feasible, *ours.totals})
        if _score(attempt.scores, plugin, node) != _score(ours.scores, plugin, node)
    ]
    return _picked(attempt.scores, differing), _picked(ours.scores, differing)


def _picked(scores: Mapping[str, Mapping[str, int]], keys: list[tuple[str, str]]) -> dict[str, int | None]:
    return {f"{plugin} of {node}": scores.get(plugin, {}).get(node) for plugin, node in keys}


def _totals(attempt: Attempt, ours: Decision) -> Pair | None:
    return None if attempt.scoring_skipped is not None else (attempt.total, ours.totals)


def _candidates(attempt: Attempt, ours: Decision) -> Pair | None:
    if attempt.taken is None:
        return None
    return attempt.candidates, ours.candidates


def _chosen(attempt: Attempt, ours: Decision) -> Pair | None:
    if attempt.taken is None:
        return None
    if attempt.scoring_skipped is None and not attempt.tie_random:
        return attempt.taken, ours.choose(attempt.held)
    return attempt.taken, attempt.taken if attempt.taken in ours.candidates else None


def _hint(attempt: Attempt, ours: Decision) -> Pair | None:
    return None if attempt.hint is None and ours.hint is None else (attempt.hint, ours.hint)


def _reasons(attempt: Attempt, ours: Decision) -> Pair | None:
    if attempt.message is None or attempt.error:
        return None
    return (attempt.reasons, attempt.prefilter_message), (ours.reasons, ours.rejected)


def _message(attempt: Attempt, ours: Decision) -> Pair | None:
    if attempt.message is None and not ours.message:
        return None
    expected, got = attempt.message or "", ours.message
    if attempt.message_random:  # it ends with one of several nodes
        expected, got = expected.rpartition(" ")[0], got.rpartition(" ")[0]
    return expected, got


def _preemption(attempt: Attempt, ours: Decision) -> Pair | None:
    """Compares the dry runs; any of the best nodes is right, as the real choice depends on Go's map order."""
    recorded, found = attempt.preemption, ours.preemption
    if recorded is None and found is None:
        return None
    # victims after extenders are compared only if extenders were called
    evicted = attempt.deleted_victims if attempt.extender_calls else None
    tried = recorded and _tried(recorded.potential_nodes, recorded.dry_run)
    expected = (attempt.nominated, tried, evicted and sorted(evicted))
    if found is None:
        return expected, (None, None, None)
    is_best = attempt.nominated in found.best or (attempt.nominated is None and not found.best)
    nominated = attempt.nominated if is_best else sorted(found.best)
    got = evicted and sorted(found.evicted.get(attempt.nominated or "", ()))
    return expected, (nominated, _tried(found.potential_nodes, found.dry_run), got)


def _tried(nodes: Iterable[str], dry_run: Mapping[str, Iterable[str]]) -> object:
    return sorted(nodes), {node: sorted(victims) for node, victims in sorted(dry_run.items())}


def _extenders(attempt: Attempt, ours: Decision) -> Pair | None:
    return ours.extenders


def _volumes(attempt: Attempt, ours: Decision) -> Pair | None:
    return ours.volumes


def _devices(attempt: Attempt, ours: Decision) -> Pair | None:
    return ours.devices


def _outcome(attempt: Attempt, ours: Decision) -> Pair:
    return attempt.outcome, ours.outcome


_COMPARISONS: Mapping[str, Callable[[Attempt, Decision], Pair | None]] = {
    "feasible": _feasible,
    "order": _order,
    "scores": _scores,
    "totals": _totals,
    "candidates": _candidates,
    "chosen": _chosen,
    "hint": _hint,
    "reasons": _reasons,
    "message": _message,
    "preemption": _preemption,
    "extenders": _extenders,
    "volumes": _volumes,
    "devices": _devices,
    "outcome": _outcome,
}

ASPECTS = tuple(_COMPARISONS)
