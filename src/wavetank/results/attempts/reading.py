from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from wavetank.errors import InputError
from wavetank.results.attempts.columnfile import ColumnReader
from wavetank.results.attempts.explanation import Explanation, Number, Refusal
from wavetank.results.attempts.format import LISTS, NOTHING, NUMBERS, Index
from wavetank.results.layout import ATTEMPTS
from wavetank.results.read.runfolder import RunFolder, runs_in

_MOST_LABELS = 6  # runs named in a message


def read_recorded(out: Path, pod: str, scheduler: str | None = None, seed: int | None = None) -> list[Explanation]:
    """Returns the recorded attempts at a pod (name, or namespace/name) in a folder of results, or of one run in it.

    `scheduler` and `seed` select the run; InputError if there is none, more than one, or it was not recorded.
    """
    return attempts_of(find_run(out, scheduler, seed), pod)


def attempts_of(run: RunFolder, pod: str) -> list[Explanation]:
    """Returns the recorded attempts of a run at a pod; InputError if it was not recorded."""
    path = run.path / ATTEMPTS
    if not path.is_file():
        raise InputError("no attempts were recorded: run it with --explain", source=str(run.path))
    return RecordedAttempts(path).of(pod if "/" in pod else f"default/{pod}")


class RecordedAttempts:
    """The attempts of one run, read from its file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = ColumnReader(path)
        try:
            self.index = msgspec.json.decode(self._reader.index, type=Index)
        except msgspec.DecodeError as error:
            raise InputError(f"not a recording of attempts: {error}", source=str(path)) from None

    def of(self, pod: str) -> list[Explanation]:
        """Returns the attempts at a pod in their order; InputError if there is none."""
        wanted = self.index.pods.index(pod) if pod in self.index.pods else NOTHING
        found = [explained for block in range(self.index.blocks) for explained in self._in_block(block, wanted)]
        if not found:
            raise InputError(f"no attempt at pod {pod!r:.80} was recorded", source=str(self._path))
        return [replace(explained, attempt=i) for i, explained in enumerate(found, 1)]

    def _in_block(self, block: int, wanted: int) -> Iterator[Explanation]:
        rows = np.flatnonzero(self._reader.numbers(block, "pod") == wanted).tolist()
        if rows:
            numbers = {name: self._reader.numbers(block, name) for name in NUMBERS}
            lists = {name: self._reader.lists(block, name) for name in LISTS}
            for row in rows:
                row_numbers = {name: int(column[row]) for name, column in numbers.items()}
                yield self._explanation(row_numbers, {name: column[row].tolist() for name, column in lists.items()})

    def _explanation(self, numbers: Mapping[str, int], lists: Mapping[str, Sequence[int]]) -> Explanation:
        index = self.index
        kept = [index.nodes[node] for node in lists["kept"]]
        best = max(lists["totals"], default=0)
        totals = dict(zip(kept, lists["totals"], strict=False))
        return Explanation(
            pod=index.pods[numbers["pod"]],
            outcome=index.outcomes[numbers["outcome"]],
            time=numbers["time"],
            nodes=numbers["nodes"],
            evaluated=numbers["evaluated"],
            feasible_count=numbers["feasible"],
            candidate_count=numbers["candidates"],
            feasible=sorted(kept),
            filtered=self._filtered(lists),
            refusals=dict(zip(map(self._refusal, lists["refusals"]), lists["refusal_nodes"], strict=True)),
            rejected=None if numbers["rejected"] == NOTHING else self._refusal(numbers["rejected"]),
            scores=self._scores(kept, lists),
            totals=dict(sorted(totals.items())),
            candidates=sorted(node for node in kept if totals.get(node, best) == best),
            chosen=_named(index.nodes, numbers["chosen"]),
            message=_named(index.messages, numbers["message"]) or "",
            nominated=_named(index.nodes, numbers["nominated"]),
            victims=[index.pods[victim] for victim in lists["victims"]],
        )

    def _filtered(self, lists: Mapping[str, Sequence[int]]) -> dict[str, Refusal]:
        pairs = zip(lists["refused"], lists["refused_by"], strict=True)
        named = {self.index.nodes[node]: self._refusal(answer) for node, answer in pairs}
        return {node: named[node] for node in sorted(named)}

    def _scores(self, kept: Sequence[str], lists: Mapping[str, Sequence[int]]) -> dict[str, dict[str, Number]]:
        scores: dict[str, dict[str, Number]] = {}
        for i, plugin in enumerate(lists["plugins"]):
            own = lists["scores"][i * len(kept) : (i + 1) * len(kept)]
            scores[self.index.plugins[plugin]] = dict(sorted(zip(kept, own, strict=True)))
        return scores

    def _refusal(self, answer: int) -> Refusal:
        found = self.index.answers[answer]
        return Refusal(found.plugin, found.reasons)


def _named(names: Sequence[str], number: int) -> str | None:
    return None if number == NOTHING else names[number]


def find_run(out: Path, scheduler: str | None, seed: int | None) -> RunFolder:
    """Returns the one run of these results that is meant; InputError if there is none, or more than one."""
    runs = runs_in(out)
    fitting = [run for run in runs if scheduler in (None, run.scheduler) and seed in (None, run.seed)]
    if len(fitting) == 1:
        return fitting[0]
    labels = ", ".join(run.label for run in (fitting or runs)[:_MOST_LABELS])
    more = len(fitting or runs) - _MOST_LABELS
    found = f"{labels} and {more} more" if more > 0 else labels
    problem = "more than one run" if fitting else "no such run"
    raise InputError(f"{problem}: choose one by --scheduler and --seed: {found}", source=str(out))
