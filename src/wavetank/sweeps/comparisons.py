"""Every two schedulers of a scenario, compared over the seeds that both have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from wavetank.experiments.run import RunResult
from wavetank.results.statistics import CONFIDENCE, mean_interval, paired_p_value

METRICS = (
    "mean_job_latency_s",
    "makespan_s",
    "mean_waiting_time_s",
    "p95_waiting_time_s",
    "mean_slowdown",
    "cpu_utilization",
    "fragmentation",
)
COLUMNS = ("scenario", "metric", "a", "b", "seeds", "mean_a", "mean_b", "difference", "low", "high", "p", "significant")


def compare_pairs(scenario: str, results: Sequence[RunResult]) -> Iterator[list[object]]:
    """Yields a row per metric and pair: the mean of b - a with its 95 % interval, and whether it is significant.

    p is of the paired t-test; significant is what stays below 5 % by Holm's rule for all pairs of the metric. With
    one seed there is nothing to say but the difference.
    """
    for metric in METRICS:
        values = _values(results, metric)
        pairs = [_compare(values[a], values[b]) for a, b in combinations(values, 2)]
        marks = significant([p for *_, p in pairs])
        for (a, b), (seeds, mean_a, mean_b, low, high, p), mark in zip(
            combinations(values, 2), pairs, marks, strict=True
        ):
            cells = [mean_a, mean_b, mean_b - mean_a, low, high, p]
            rounded = [None if cell is None else round(cell, 6) for cell in cells]
            yield [scenario, metric, a, b, seeds, *rounded, mark]


def significant(p_values: Sequence[float | None]) -> list[str]:
    """Returns yes or no for each p-value by Holm's rule at 5 %, and nothing where there is none."""
    order = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    marks = ["" if p is None else "no" for p in p_values]
    for rank, (p, i) in enumerate(order):
        if p > (1 - CONFIDENCE) / (len(order) - rank):
            break
        marks[i] = "yes"
    return marks


def _values(results: Sequence[RunResult], metric: str) -> dict[str, dict[int, float]]:
    """Returns the values of a metric by scheduler and seed; runs that have none are left out."""
    values: dict[str, dict[int, float]] = {}
    for result in results:
        value = getattr(result.metrics, metric)
        if value is not None:
            values.setdefault(result.scheduler, {})[result.seed] = value
    return values


def _compare(
    a: dict[int, float], b: dict[int, float]
) -> tuple[int, float, float, float | None, float | None, float | None]:
    seeds = [seed for seed in a if seed in b]
    if not seeds:
        return 0, mean_interval(list(a.values())).mean, mean_interval(list(b.values())).mean, None, None, None
    differences = [b[seed] - a[seed] for seed in seeds]
    interval = mean_interval(differences)
    means = (mean_interval([values[seed] for seed in seeds]).mean for values in (a, b))
    mean_a, mean_b = means
    return len(seeds), mean_a, mean_b, interval.low, interval.high, paired_p_value(differences)
