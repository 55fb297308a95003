"""The answer to a what-if question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.objects.pod import FAILED, RUNNING, SUCCEEDED
from wavetank.kernel.durations import SECOND
from wavetank.planning.podwatch import PodLife
from wavetank.planning.readiness import ReadyCount
from wavetank.planning.simulatedcluster import Blocked
from wavetank.planning.states import ClusterState, NodeState

PREEMPTED = "Preempted"


@dataclass(frozen=True)
class Step:
    """One change: what it was, when it began and how long it took until all was quiet, in seconds."""

    text: str
    at_s: float
    took_s: float
    blocked: Sequence[Blocked] = ()


@dataclass(frozen=True)
class Move:
    """A pod that left its node, and the pod in its place: itself, or the one that its controller has created."""

    pod: str
    source: str
    replacement: str
    target: str


@dataclass(frozen=True)
class Disruption:
    """The fewest ready pods of a workload, budget or service, of those ready before; `below_s` the time with fewer."""

    kind: str
    namespace: str
    name: str
    wanted: int
    fewest: int
    below_s: float


@dataclass
class PodCounts:
    """What happened to the pods.

    `evicted` pods had to leave their node, by a drain, a failure, a preemption or with the node. Of these, `moved` have
    a replacement with a node, `lost` are bare pods that nothing creates again, `ended` belonged to the node (pods of
    DaemonSets, static pods), and `missing` are not created again yet: a StatefulSet waits for an earlier pod.
    `created` are new pods beyond replacements, `deleted` those that a controller has removed.
    """

    before: int = 0
    after: int = 0
    evicted: int = 0
    preempted: int = 0
    moved: int = 0
    lost: int = 0
    ended: int = 0
    missing: int = 0
    created: int = 0
    deleted: int = 0
    completed: int = 0
    pending: int = 0
    pending_before: int = 0


@dataclass(frozen=True)
class Answer:
    """What the changes did to the cluster: pods, nodes before and after, disruption, steps and notes."""

    snapshot: str
    scheduler: str
    latency: str
    steps: Sequence[Step]
    pods: PodCounts
    moves: Sequence[Move]
    lost: Sequence[str]
    before: ClusterState
    after: ClusterState
    disruptions: Sequence[Disruption]
    notes: Sequence[str] = field(default_factory=list)

    @property
    def took_s(self) -> float:
        """Returns how long all changes took together, in seconds of the cluster."""
        return sum(step.took_s for step in self.steps)

    @property
    def blocked(self) -> list[Blocked]:
        """Returns all pods that could not be evicted."""
        return [each for step in self.steps for each in step.blocked]

    def figures(self) -> dict[str, float | None]:
        """Returns the figures that assertions may name."""
        return {name: figure(self) for name, figure in _FIGURES.items()}

    def data(self) -> dict[str, Any]:
        """Returns the answer for JSON; shares are of 1, CPU in milli-CPU, memory in bytes."""
        return {
            "snapshot": self.snapshot,
            "scheduler": self.scheduler,
            "latency": self.latency,
            "steps": [_step_data(step) for step in self.steps],
            "figures": self.figures(),
            "pods": {name: getattr(self.pods, name) for name in PodCounts.__dataclass_fields__},
            "pending": [{"pod": pod, "reason": reason} for pod, reason in self.after.pending.items()],
            "moves": [
                {"pod": each.pod, "from": each.source, "replacement": each.replacement, "to": each.target}
                for each in self.moves
            ],
            "lost": list(self.lost),
            "disruptions": [
                {name: getattr(each, name) for name in Disruption.__dataclass_fields__} for each in self.disruptions
            ],
            "nodes": {"before": _nodes_data(self.before), "after": _nodes_data(self.after)},
            "notes": list(self.notes),
        }


_FIGURES: Mapping[str, Callable[[Answer], float | None]] = {
    "pending": lambda answer: answer.pods.pending,
    "new_pending": lambda answer: len(answer.after.pending.keys() - answer.before.pending.keys()),
    "moved": lambda answer: answer.pods.moved,
    "evicted": lambda answer: answer.pods.evicted,
    "preempted": lambda answer: answer.pods.preempted,
    "lost": lambda answer: answer.pods.lost,
    "missing": lambda answer: answer.pods.missing,
    "blocked": lambda answer: len(answer.blocked),
    "disrupted": lambda answer: sum(each.fewest < each.wanted for each in answer.disruptions),
    "unavailable": lambda answer: sum(each.fewest == 0 < each.wanted for each in answer.disruptions),
    "nodes": lambda answer: len(answer.after.nodes),
    "nodes_used": lambda answer: answer.after.used,
    "cpu_share": lambda answer: answer.after.share("cpu"),
    "memory_share": lambda answer: answer.after.share("memory"),
    "price_per_hour": lambda answer: answer.after.price,
    "took_s": lambda answer: answer.took_s,
}
FIGURES = tuple(_FIGURES)


def count_pods(
    lives: Iterable[PodLife], began: int, before: ClusterState, after: ClusterState
) -> tuple[PodCounts, list[Move], list[str]]:
    """Returns what happened to pods since the time `began`, the moves and the lost pods."""
    gone, new = [], []
    for life in lives:
        if life.created >= began and (life.ended is None or life.phase == SUCCEEDED):
            new.append(life)
        elif life.created < began and life.ended is not None and life.ended >= began and life.node:
            gone.append(life)
    counts = PodCounts(before=before.placed, after=after.placed, pending=len(after.pending))
    counts.pending_before = len(before.pending)
    replacements = _Replacements(new)
    moves: list[Move] = []
    lost: list[str] = []
    for life in gone:
        _count(life, counts, replacements, moves, lost)
    counts.created = replacements.left()
    return counts, moves, lost


def _count(life: PodLife, counts: PodCounts, replacements: _Replacements, moves: list[Move], lost: list[str]) -> None:
    if life.phase == SUCCEEDED:
        counts.completed += 1
        return
    replacement = replacements.of(life)
    wanted_fewer = replacement is None and life.owner is not None and not life.reason and life.phase != FAILED
    if wanted_fewer and not life.follows_node:
        counts.deleted += 1  # by its controller
        return
    if replacement is not None and replacement.key == life.key and life.phase == RUNNING and not life.reason:
        _count_rescheduled(life, replacement, counts, moves)
        return
    counts.evicted += 1
    counts.preempted += life.reason == PREEMPTED
    if replacement is not None and replacement.node:
        counts.moved += 1
        moves.append(Move(life.key, life.node, replacement.key, replacement.node))
    elif life.follows_node:
        counts.ended += 1
    elif life.owner is None:
        counts.lost += 1
        lost.append(life.key)
    elif replacement is None:
        counts.missing += 1


def _count_rescheduled(life: PodLife, again: PodLife, counts: PodCounts, moves: list[Move]) -> None:
    """Counts a pod that was taken off its node to be scheduled again: it has moved if it came to another one."""
    if again.node and again.node != life.node:
        counts.moved += 1
        moves.append(Move(life.key, life.node, again.key, again.node))


class _Replacements:
    """New pods that take the places of those that are gone: first by name, then by controller."""

    def __init__(self, new: Sequence[PodLife]) -> None:
        self._by_key = {each.key: each for each in new}
        self._by_owner: dict[tuple[str, tuple[str, str] | None], list[PodLife]] = {}
        for each in sorted(new, key=lambda life: not life.node, reverse=True):
            self._by_owner.setdefault((each.namespace, each.owner), []).append(each)

    def of(self, life: PodLife) -> PodLife | None:
        """Takes the replacement of a pod, None if there is none left; pods of nodes have none."""
        if life.follows_node:
            return None
        found = self._by_key.pop(life.key, None)
        if found is not None:
            self._by_owner[found.namespace, found.owner].remove(found)
            return found
        if life.owner is None:
            return None
        others = self._by_owner.get((life.namespace, life.owner))
        if not others:
            return None
        found = others.pop()
        self._by_key.pop(found.key, None)
        return found

    def left(self) -> int:
        """Counts the new pods that replace none, apart from those of nodes."""
        return sum(not life.follows_node for lives in self._by_owner.values() for life in lives)


def disruptions_of(counts: dict[tuple[str, str, str], ReadyCount]) -> list[Disruption]:
    """Returns the fewest ready pods of everything that had ready pods, the most disrupted first."""
    found = [
        Disruption(*group, count.wanted, count.fewest, count.below / SECOND)
        for group, count in counts.items()
        if count.wanted
    ]
    return sorted(found, key=lambda each: (each.fewest / each.wanted, each.kind, each.namespace, each.name))


def _step_data(step: Step) -> dict[str, Any]:
    blocked = [{"node": each.node, "pod": each.pod, "reason": each.reason} for each in step.blocked]
    return {"change": step.text, "at_s": step.at_s, "took_s": step.took_s, "blocked": blocked}


def _nodes_data(state: ClusterState) -> list[dict[str, Any]]:
    return [{name: getattr(node, name) for name in NodeState.__dataclass_fields__} for node in state.nodes]
