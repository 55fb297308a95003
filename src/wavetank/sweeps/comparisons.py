"""Every two schedulers of a scenario, compared over the seeds that both have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from wavetank.experiments.run import RunResult
from wavetank.results.schema import COMPARED
from wavetank.results.statistics import CONFIDENCE, holm, mean_interval, paired_p_value, seeds_to_tell

_WORDS = {True: "yes", False: "no", None: ""}


class _Pair(NamedTuple):
    """Two schedulers under one metric: columns of comparisons.csv, and the differences b − a by seed."""

    seeds: int
    mean_a: float
    mean_b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    differences: Sequence[float]


_FIGURES = ("seeds", "mean_a", "mean_b", "difference", "low", "high", "p")


def compare_pairs(scenario: str, results: Sequence[RunResult]) -> Iterator[Mapping[str, object]]:
    """Yields a row of comparisons.csv per metric and pair of schedulers.

    `significant` holds if p stays below 5 % by Holm's rule for all pairs of the metric; if not, `seeds_to_tell` is
    about the number of seeds that would tell. With a single common seed there is only the difference.
    """
    for metric in COMPARED:
        values = _values(results, metric)
        pairs = [(a, b, _compare(values[a], values[b])) for a, b in combinations(values, 2)]
        marks = [_WORDS[found] for found in holm([pair.p for _, _, pair in pairs])]
        level = (1 - CONFIDENCE) / max(1, len(pairs))
        for (a, b, pair), mark in zip(pairs, marks, strict=True):
            place = {"scenario": scenario, "metric": metric, "a": a, "b": b}
            figures = {name: _rounded(getattr(pair, name)) for name in _FIGURES}
            needed = seeds_to_tell(pair.differences, level) if mark == "no" else None
            yield {**place, **figures, "significant": mark, "seeds_to_tell": needed}


def _values(results: Sequence[RunResult], metric: str) -> dict[str, dict[int, float]]:
    """Returns the values of a metric by scheduler and seed; runs that have none are left out."""
    values: dict[str, dict[int, float]] = {}
    for result in results:
        value = getattr(result.metrics, metric)
        if value is not None:
            values.setdefault(result.scheduler, {})[result.seed] = value
    return values


def _compare(a: dict[int, float], b: dict[int, float]) -> _Pair:
    seeds = [seed for seed in a if seed in b]
    if not seeds:
        mean_a, mean_b = (mean_interval(list(values.values())).mean for values in (a, b))
        return _Pair(0, mean_a, mean_b, mean_b - mean_a, None, None, None, ())
    differences = [b[seed] - a[seed] for seed in seeds]
    interval = mean_interval(differences)
    mean_a, mean_b = (mean_interval([values[seed] for seed in seeds]).mean for values in (a, b))
    p = paired_p_value(differences)
    return _Pair(len(seeds), mean_a, mean_b, mean_b - mean_a, interval.low, interval.high, p, differences)


def _rounded(value: int | float | None) -> int | float | None:
    return round(value, 6) if isinstance(value, float) else value
