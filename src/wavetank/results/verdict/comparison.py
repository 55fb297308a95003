"""The metrics of an experiment, compared between its schedulers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import Better, Column, Kind, reported_metrics
from wavetank.results.statistics import Interval, holm, mean_interval, paired_p_value

Verdict = Literal["best", "close", ""]
BySeed = dict[int | None, float]
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One scheduler under one metric, in the comparison's unit; `interval` is None if no seed has a value."""

    scheduler: str
    interval: Interval | None
    undefined: int  # seeds whose cell is empty
    verdict: Verdict  # close: not the best mean, but not significantly different from it


@dataclass(frozen=True, slots=True)
class Comparison:
    """All schedulers under one metric.

    `significant` says of each pair of schedulers whether the paired t-test over their common seeds tells them apart,
    at 5 % by Holm's rule for all pairs; it has no entry for a pair with fewer than two common seeds.
    """

    metric: Column
    unit: str
    decimals: int
    cells: tuple[Cell, ...]
    significant: Mapping[Pair, bool] = field(default_factory=dict)

    @property
    def uneventful(self) -> bool:
        """Whether it is the same with every scheduler, so that a chart is not worthwhile: all means are equal.

        Of a single scheduler only a count that is the same in every run is uneventful.
        """
        means = {cell.interval.mean if cell.interval else None for cell in self.cells}
        varied = any(cell.interval and cell.interval.half_width for cell in self.cells)
        return len(means) == 1 and (len(self.cells) > 1 or (self.metric.kind == "count" and not varied))

    @property
    def is_exact(self) -> bool:
        """Whether no scheduler's value depends on the seed, so that the seeds are no sample to test with."""
        return not any(cell.interval and cell.interval.half_width for cell in self.cells)

    def tells_apart(self, one: str, other: str) -> bool | None:
        """Whether two schedulers differ significantly; None if they have fewer than two common seeds."""
        return self.significant.get(frozenset((one, other)))

    @property
    def has_values(self) -> bool:
        """Whether any scheduler has a value: services that never end have no makespan and no turnaround."""
        return any(cell.interval is not None for cell in self.cells)

    def number(self, value: float | None) -> str:
        """Returns a value in the comparison's digits, a dash for none."""
        return "–" if value is None else f"{value:,.{self.decimals}f}"

    def text(self, cell: Cell) -> str:
        """Returns `mean ± half-width`, of a single seed the value alone."""
        if cell.interval is None:
            return "–"
        if cell.interval.half_width is None:
            return self.number(cell.interval.mean)
        return f"{self.number(cell.interval.mean)} ± {self.number(cell.interval.half_width)}"

    def footnote(self, cell: Cell) -> str:
        """Returns the number of seeds behind a cell if some have no value, otherwise ""."""
        if cell.interval is None or not cell.undefined:
            return ""
        return f"{cell.interval.n} of {cell.interval.n + cell.undefined} seeds"


def compare(folder: ResultsFolder) -> list[Comparison]:
    """Returns one comparison per metric that the runs have, schedulers in the order of the experiment."""
    known = {name for run in folder.runs for name in run.metrics}
    return [_compare(folder, metric) for metric in reported_metrics() if metric.name in known]


def _compare(folder: ResultsFolder, metric: Column) -> Comparison:
    by_seed = {name: _by_seed(folder.runs_of(name), metric.name) for name in folder.scheduler_names()}
    unit, factor = _unit(metric.kind, [value for values in by_seed.values() for value in values.values()])
    scaled = {name: {seed: value * factor for seed, value in values.items()} for name, values in by_seed.items()}
    intervals = {name: mean_interval(list(values.values())) if values else None for name, values in scaled.items()}
    significant = _significant(scaled)
    verdicts = _verdicts(metric.better, intervals, significant)
    cells = tuple(
        Cell(name, intervals[name], len(folder.runs_of(name)) - len(values), verdicts[name])
        for name, values in scaled.items()
    )
    return Comparison(metric, unit, _decimals(metric.kind, cells), cells, significant)


def _by_seed(runs: list[RunFolder], key: str) -> BySeed:
    """Returns the values of a metric where they are defined."""
    values = {run.seed: run.metrics[key] for run in runs}
    return {seed: value for seed, value in values.items() if value is not None}


def _unit(kind: Kind, values: list[float]) -> tuple[str, float]:
    """Returns the unit in which the greatest of `values` reads well, and the factor to it."""
    if kind == "share":
        return "%", 100
    if kind == "percent":
        return "%", 1
    if kind in ("count", "ratio", "amount"):
        return "", 1
    greatest = max(values, default=0)
    for unit, seconds, limit in (("s", 1, 600), ("min", 60, 600), ("h", 3600, 240)):
        if greatest < seconds * limit:
            return unit, 1 / seconds
    return "d", 1 / 86400


def _decimals(kind: Kind, cells: tuple[Cell, ...]) -> int:
    """Returns the digits after the point that give the greatest mean about four digits in all."""
    intervals = [cell.interval for cell in cells if cell.interval]
    if kind == "count":
        return 0 if all(interval.mean.is_integer() and not interval.half_width for interval in intervals) else 1
    if kind in ("share", "percent"):
        return 1 if kind == "share" else 2
    greatest = max((abs(interval.mean) for interval in intervals), default=0)
    return sum(greatest < limit for limit in (1000, 100, 1))


def _verdicts(
    better: Better, intervals: Mapping[str, Interval | None], significant: Mapping[Pair, bool]
) -> dict[str, Verdict]:
    """Marks the best mean, unless all are equal, and those that do not differ significantly from it."""
    means = {name: interval.mean for name, interval in intervals.items() if interval}
    verdicts: dict[str, Verdict] = dict.fromkeys(intervals, "")
    if not better or len(set(means.values())) < 2:
        return verdicts
    best = min(means.values()) if better == "lower" else max(means.values())
    winners = [name for name, mean in means.items() if mean == best]
    for name in means:
        if name in winners:
            verdicts[name] = "best"
        elif any(significant.get(frozenset((name, winner))) is False for winner in winners):
            verdicts[name] = "close"
    return verdicts


def _significant(values: Mapping[str, BySeed]) -> dict[Pair, bool]:
    """Tests every two schedulers.

    Seeds are paired because both schedulers had the same workload under a seed: variation between seeds then does
    not hide differences between schedulers. One common seed is not enough.
    """
    pairs = list(combinations(values, 2))
    found = holm([_p_value(values[one], values[other]) for one, other in pairs])
    return {frozenset(pair): mark for pair, mark in zip(pairs, found, strict=True) if mark is not None}


def _p_value(one: BySeed, other: BySeed) -> float | None:
    differences = [one[seed] - other[seed] for seed in one if seed in other]
    return paired_p_value(differences) if len(differences) > 1 else None
