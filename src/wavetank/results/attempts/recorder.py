from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import Nanoseconds
from wavetank.results.attempts.columnfile import Array, ColumnWriter
from wavetank.results.attempts.explanation import (
    OUTCOMES,
    Refusal,
    best_positions,
    key_of,
    refusals_of,
    rejection_of,
    scores_of,
    word_of,
)
from wavetank.results.attempts.format import LISTS, NOTHING, NUMBERS, Answer, Index, Keep
from wavetank.results.attempts.numbering import Numbering, SlotNumbers
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable

KEPT_BEST, KEPT_WORST = 50, 5  # feasible nodes of an attempt, by total
_BLOCK = 2000  # attempts
_NONE: IntArray = np.zeros(0, np.int64)


class AttemptRecorder:
    """Listens to the schedulers of a run and writes every attempt to one compact file.

    Of the feasible nodes it keeps the best 50 and the worst 5 with their scores, of the refused ones how many got
    which answer; with keep "all" it keeps every node that was looked at.
    """

    def __init__(self, path: Path, keep: Keep) -> None:
        self._keep: Keep = keep
        self._writer = ColumnWriter(path)
        self._pods = Numbering[str]()
        self._nodes = Numbering[str]()
        self._plugins = Numbering[str]()
        self._messages = Numbering[str]()
        self._answers = Numbering[Refusal]()
        self._slots: dict[NodeTable, SlotNumbers] = {}
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
        self._lists["refused"].append(self._names([slots for _, slots in named], cycle))
        self._lists["refused_by"].append(
            np.repeat([answer for answer, _ in named], [len(slots) for _, slots in named]).astype(np.int64)
        )

    def _note_scores(self, outcome: Outcome, cycle: Cycle) -> None:
        kept = self._kept(outcome, cycle)
        scores = scores_of(outcome)
        self._lists["kept"].append(self._names([outcome.feasible[kept]], cycle))
        self._lists["totals"].append(outcome.totals[kept] if len(outcome.totals) else outcome.totals)
        self._lists["plugins"].append(self._plugins.of_all(scores))
        weighted = [array[kept] for array in scores.values()]
        self._lists["scores"].append(np.concatenate(weighted) if weighted else _NONE)

    def _kept(self, outcome: Outcome, cycle: Cycle) -> IntArray:
        """Returns the positions in `feasible` to keep; among equals the chosen one comes first."""
        if self._keep == "all" or len(outcome.totals) <= KEPT_BEST + KEPT_WORST:
            return np.arange(len(outcome.feasible))
        passed_over = outcome.feasible != cycle.table.slots.get(outcome.node_name, NOTHING)
        order = np.lexsort((passed_over, -outcome.totals))
        return np.concatenate([order[:KEPT_BEST], order[-KEPT_WORST:]])

    def _names(self, slots: Sequence[IntArray], cycle: Cycle) -> IntArray:
        if cycle.table not in self._slots:
            self._slots[cycle.table] = SlotNumbers(cycle.table, self._nodes)
        return self._slots[cycle.table].of(np.concatenate([_NONE, *slots]))

    def _flush(self) -> None:
        if self._columns["time"]:
            self._writer.add(self._columns, self._lists)
            self._clear()
