from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
import numpy as np

from wavetank.cluster.pod import Pod
from wavetank.experiments.explain.columns import Array, ColumnWriter
from wavetank.experiments.explain.explanation import (
    OUTCOMES,
    Refusal,
    best_positions,
    key_of,
    refusals_of,
    rejection_of,
    word_of,
)
from wavetank.experiments.explain.recording import LISTS, NOTHING, NUMBERS, Answer, Index, Keep
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.arrays import IntArray
from wavetank.scheduling.framework.cycle import Cycle, Outcome

KEPT_BEST, KEPT_WORST = 50, 5  # feasible nodes of an attempt, by total
_BLOCK = 2000  # attempts

T = TypeVar("T", bound=Hashable)


class _Numbers(Generic[T]):
    """Numbers things in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def of(self, thing: T | None) -> int:
        return NOTHING if thing is None else self._numbers.setdefault(thing, len(self._numbers))

    def of_all(self, things: Iterable[T]) -> IntArray:
        return np.array([self.of(thing) for thing in things], np.int64)

    def all(self) -> list[T]:
        return list(self._numbers)


class AttemptRecorder:
    """Listens to the schedulers of a run and writes every attempt to one compact file.

    Of the feasible nodes it keeps the best 50 and the worst 5 with their scores, of the refused ones how many got
    which answer; with keep "all" it keeps every node that was looked at.
    """

    def __init__(self, path: Path, keep: Keep) -> None:
        self._keep: Keep = keep
        self._writer = ColumnWriter(path)
        self._pods = _Numbers[str]()
        self._nodes = _Numbers[str]()
        self._plugins = _Numbers[str]()
        self._messages = _Numbers[str]()
        self._answers = _Numbers[Refusal]()
        self._clear()

    def _clear(self) -> None:
        self._columns: dict[str, list[int]] = {name: [] for name in NUMBERS}
        self._lists: dict[str, list[Array]] = {name: [] for name in LISTS}

    def __call__(self, time: Nanoseconds, pod: Pod, outcome: Outcome, cycle: Cycle) -> None:
        """Takes in an attempt; the outcome may be used up afterwards."""
        self._note_numbers(time, pod, outcome, cycle)
        self._note_refusals(outcome, cycle)
        self._note_scores(outcome, cycle)
        preemption = outcome.preemption
        self._lists["victims"].append(self._pods.of_all(map(key_of, preemption.victims if preemption else ())))
        if len(self._columns["time"]) == _BLOCK:
            self._flush()

    def close(self) -> None:
        """Finishes the file; nothing can be taken in any more."""
        self._flush()
        index = Index(
            format="wavetank-explain-1",
            keep=self._keep,
            blocks=self._writer.blocks,
            outcomes=list(OUTCOMES),
            pods=self._pods.all(),
            nodes=self._nodes.all(),
            plugins=self._plugins.all(),
            messages=self._messages.all(),
            answers=[Answer(refusal.plugin, refusal.reasons) for refusal in self._answers.all()],
        )
        self._writer.close(msgspec.json.encode(index))

    def _note_numbers(self, time: Nanoseconds, pod: Pod, outcome: Outcome, cycle: Cycle) -> None:
        preemption = outcome.preemption
        numbers = (
            time,
            self._pods.of(key_of(pod)),
            OUTCOMES.index(word_of(outcome)),
            self._messages.of(outcome.message or None),
            self._nodes.of(outcome.node_name or None),
            len(cycle.table.order),
            len(outcome.nodes),
            len(outcome.feasible),
            len(best_positions(outcome)),
            self._nodes.of((preemption.nominated or None) if preemption else None),
            self._answers.of(rejection_of(outcome)),
        )
        for name, number in zip(NUMBERS, numbers, strict=True):
            self._columns[name].append(number)

    def _note_refusals(self, outcome: Outcome, cycle: Cycle) -> None:
        found = [(self._answers.of(refusal), slots) for refusal, slots in refusals_of(cycle, outcome) if len(slots)]
        self._lists["refusals"].append(np.array([answer for answer, _ in found], np.int64))
        self._lists["refusal_nodes"].append(np.array([len(slots) for _, slots in found], np.int64))
        named = [(answer, slots) for answer, slots in found if self._keep == "all"]
        self._lists["refused"].append(self._names([slot for _, slots in named for slot in slots.tolist()], cycle))
        self._lists["refused_by"].append(
            np.repeat([answer for answer, _ in named], [len(slots) for _, slots in named]).astype(np.int64)
        )

    def _note_scores(self, outcome: Outcome, cycle: Cycle) -> None:
        kept = self._kept(outcome)
        scores = [weighted[kept] for weighted in outcome.scores.values()]
        self._lists["kept"].append(self._names(outcome.feasible[kept].tolist(), cycle))
        self._lists["totals"].append(outcome.totals[kept] if len(outcome.totals) else outcome.totals)
        self._lists["plugins"].append(self._plugins.of_all(outcome.scores))
        self._lists["scores"].append(np.concatenate(scores) if scores else np.zeros(0, np.int64))

    def _kept(self, outcome: Outcome) -> IntArray:
        """Returns the positions in `feasible` to keep: the chosen one among the best, otherwise in their order."""
        if self._keep == "all" or len(outcome.feasible) <= KEPT_BEST + KEPT_WORST:
            return np.arange(len(outcome.feasible))
        if not len(outcome.totals):
            return np.arange(KEPT_BEST)
        order = np.argsort(-outcome.totals, kind="stable")
        return np.concatenate([order[:KEPT_BEST], order[-KEPT_WORST:]])

    def _names(self, slots: list[int], cycle: Cycle) -> IntArray:
        nodes = (cycle.table.nodes[slot] for slot in slots)
        return self._nodes.of_all(node.name for node in nodes if node is not None)

    def _flush(self) -> None:
        if self._columns["time"]:
            self._writer.add(self._columns, self._lists)
            self._clear()
