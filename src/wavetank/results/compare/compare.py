"""Differences between runs: their metrics, and the nodes and times of their pods."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Literal, NamedTuple

from wavetank.errors import InputError
from wavetank.results.compare.attribution import PluginAttribution
from wavetank.results.compare.podrecords import PodRecord, read_pods
from wavetank.results.read.runfolder import RunFolder, runs_in

Kind = Literal["only_a", "only_b", "other_node", "other_start", "other_finish", "other_phase"]
KINDS: tuple[Kind, ...] = ("only_a", "only_b", "other_node", "other_start", "other_finish", "other_phase")

_Cells = tuple[str, ...]

_MOST_EXPLAINED = 200  # pods of a pair of runs: each is looked for in the recordings


class MetricPair(NamedTuple):
    """A metric of both runs, in the unit of summary.csv; None if there is no value."""

    a: float | None
    b: float | None

    @property
    def difference(self) -> float | None:
        """Returns B − A; None if one of them has no value."""
        return None if self.a is None or self.b is None else round(self.b - self.a, 6)  # as exact as the file


@dataclass(frozen=True, slots=True)
class PodDifference:
    """A pod (`namespace/name`) that differs between A and B, or is in one of them only.

    `why` names the plugin that sent it to another node, if attempts were recorded.
    """

    pod: str
    a: PodRecord | None
    b: PodRecord | None
    why: str = ""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Returns how it differs; its start is its binding and the start of its containers."""
        a, b = self.a, self.b
        if a is None or b is None:
            return ("only_b",) if a is None else ("only_a",)
        found: dict[Kind, bool] = {
            "other_node": a.node != b.node,
            "other_start": (a.scheduled, a.started) != (b.scheduled, b.started),
            "other_finish": a.finished != b.finished,
            "other_phase": a.phase != b.phase,
        }
        return tuple(kind for kind, differs in found.items() if differs)


@dataclass(frozen=True)
class RunDifference:
    """Two runs beside each other.

    `counts` says how many pods differ in each respect (one pod may in several), `same` how many in none, `differing`
    how many in any; `pods` are the first of these.
    """

    a: RunFolder
    b: RunFolder
    same: int
    differing: int
    counts: Mapping[Kind, int]
    pods: tuple[PodDifference, ...]

    @property
    def metrics(self) -> dict[str, MetricPair]:
        """Returns the metrics that both runs have."""
        a, b = self.a.metrics, self.b.metrics
        return {name: MetricPair(a[name], b[name]) for name in a if name in b}

    @property
    def differs(self) -> bool:
        """Whether any pod or metric differs."""
        return self.differing > 0 or any(pair.a != pair.b for pair in self.metrics.values())


@dataclass(frozen=True)
class Difference:
    """Two results beside each other, run by run; `only_a` and `only_b` are runs without a counterpart."""

    runs: tuple[RunDifference, ...]
    only_a: tuple[RunFolder, ...]
    only_b: tuple[RunFolder, ...]

    @property
    def differs(self) -> bool:
        """Whether anything differs."""
        return bool(self.only_a or self.only_b) or any(run.differs for run in self.runs)


def compare_results(
    a: Path, b: Path, *, scheduler_a: str | None = None, scheduler_b: str | None = None, most: int | None = None
) -> Difference:
    """Compares two results, each a folder that `wavetank run` wrote or the folder of one run in it.

    Runs of the same scheduler and seed belong together. Where only one scheduler is left on each side, because there
    is no other or `scheduler_a` and `scheduler_b` choose it, its name does not matter; between two single runs the
    seed does not matter either. At most `most` differing pods of each pair are kept, all without it.
    """
    runs_a, runs_b = _chosen(a, scheduler_a), _chosen(b, scheduler_b)
    pairs = _pairs(runs_a, runs_b)
    if not pairs:
        problem = f"none of its runs ({_some(runs_a)}) has a counterpart in {b} ({_some(runs_b)})"
        raise InputError(problem, source=str(a))
    return Difference(
        tuple(_compare(one, other, most) for one, other in pairs),
        _without(runs_a, [one for one, _ in pairs]),
        _without(runs_b, [other for _, other in pairs]),
    )


def _chosen(path: Path, scheduler: str | None) -> list[RunFolder]:
    runs = runs_in(path)
    chosen = [run for run in runs if scheduler in (None, run.scheduler)]
    if not chosen:
        names = ", ".join(dict.fromkeys(run.scheduler for run in runs))
        raise InputError(f"no run of a scheduler called {scheduler!r}: there is {names or 'none'}", source=str(path))
    return chosen


def _pairs(a: Sequence[RunFolder], b: Sequence[RunFolder]) -> list[tuple[RunFolder, RunFolder]]:
    if len(a) == len(b) == 1:
        return [(a[0], b[0])]
    by_name = len({run.scheduler for run in a}) > 1 or len({run.scheduler for run in b}) > 1
    others = {(run.scheduler if by_name else "", run.seed): run for run in b}
    keys = [(run.scheduler if by_name else "", run.seed) for run in a]
    return [(run, others[key]) for run, key in zip(a, keys, strict=True) if key in others]


def _without(runs: Sequence[RunFolder], compared: Sequence[RunFolder]) -> tuple[RunFolder, ...]:
    paths = {run.path for run in compared}
    return tuple(run for run in runs if run.path not in paths)


def _some(runs: Sequence[RunFolder]) -> str:
    return ", ".join(run.label for run in runs[:3]) + (", …" if len(runs) > 3 else "")


def _compare(a: RunFolder, b: RunFolder, most: int | None) -> RunDifference:
    same, differing = 0, 0
    counts: Counter[Kind] = Counter(dict.fromkeys(KINDS, 0))
    kept: list[PodDifference] = []
    attribution = PluginAttribution(a.path, b.path)
    for pod, one, other in _matched(read_pods(a), read_pods(b)):
        if one == other:
            same += 1
            continue
        differing += 1
        difference = PodDifference(pod, _record(one), _record(other))
        counts.update(difference.kinds)
        if most is None or len(kept) < most:
            kept.append(_explained(difference, attribution) if len(kept) < _MOST_EXPLAINED else difference)
    return RunDifference(a, b, same, differing, counts, tuple(kept))


def _explained(difference: PodDifference, attribution: PluginAttribution) -> PodDifference:
    a, b = difference.a, difference.b
    if a is None or b is None:
        return difference
    return replace(difference, why=attribution.why(difference.pod, a.node, b.node))


def _record(cells: _Cells | None) -> PodRecord | None:
    return None if cells is None else PodRecord._make(cells)


def _matched(
    a: Iterable[tuple[str, _Cells]], b: Iterable[tuple[str, _Cells]]
) -> Iterator[tuple[str, _Cells | None, _Cells | None]]:
    """Yields what A and B say of each pod; the n-th of several pods of one name belongs to the n-th.

    Runs of one workload list their pods in nearly the same order, so that few rows wait for their counterpart.
    """
    early_a: dict[str, deque[_Cells]] = {}
    early_b: dict[str, deque[_Cells]] = {}
    for one, other in zip_longest(a, b):
        if one and other and one[0] == other[0] and not early_a and not early_b:
            yield one[0], one[1], other[1]
            continue
        if one and (met := _take(early_b, one[0])):
            yield one[0], one[1], met
        elif one:
            early_a.setdefault(one[0], deque()).append(one[1])
        if other and (met := _take(early_a, other[0])):
            yield other[0], met, other[1]
        elif other:
            early_b.setdefault(other[0], deque()).append(other[1])
    yield from ((pod, cells, None) for pod, rows in early_a.items() for cells in rows)
    yield from ((pod, None, cells) for pod, rows in early_b.items() for cells in rows)


def _take(early: dict[str, deque[_Cells]], pod: str) -> _Cells | None:
    rows = early.get(pod)
    if rows is None:
        return None
    cells = rows.popleft()
    if not rows:
        del early[pod]
    return cells
