"""Differences between schedulers in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wavetank.results.schema import Column
from wavetank.results.verdict.comparison import Comparison

# How a difference is told; other metrics by their label. {by} is an amount, such as 11 %.
PHRASES: Mapping[str, str] = {
    "makespan_s": "{best} finishes {by} sooner than {other}",
    "mean_waiting_time_s": "Pods wait {by} less on average with {best} than with {other}",
    "cost": "{best} costs {by} less than {other}",
    "energy_kwh": "{best} takes {by} less energy than {other}",
    "unscheduled_pods": "{best} leaves {by} fewer pods unscheduled than {other}",
}
_LESS = {"count": "fewer"}


def difference_phrase(comparison: Comparison, best: str, other: str) -> str:
    """Returns `most-allocated finishes 11 % sooner than default`."""
    better, worse = (mean_of(comparison, name) for name in (best, other))
    by = amount(comparison, better, worse)
    template = PHRASES.get(comparison.metric.name)
    if template is None:
        more = "higher" if comparison.metric.better == "higher" else _LESS.get(comparison.metric.kind, "lower")
        template = f"{comparison.metric.label}: {{by}} {more} with {{best}} than with {{other}}"
    return template.format(best=best, other=other, by=by)


def amount(comparison: Comparison, better: float, worse: float) -> str:
    """Returns the difference of two means: in percent of the worse, shares in points, counts as they are."""
    if comparison.unit == "%":
        return f"{abs(better - worse):.{comparison.decimals}f} percentage points"
    if comparison.metric.kind == "count" or not worse:
        return f"{comparison.number(abs(better - worse))} {comparison.unit}".rstrip()
    return percent(abs(better - worse) / abs(worse))


def percent(share: float) -> str:
    """Returns a share in percent with two or three digits, of more than ten as a factor."""
    if share > 10:
        return f"{share:,.0f} times"
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    value = 100 * share
    decimals = 0 if 10 <= value < 90 or value >= 100 else 1 if value >= 1 else 2
    return f"{value:.{decimals}f} %"


def noun(metric: Column) -> str:
    """Returns the label of a metric inside a sentence: makespan, CPU utilisation, 95th percentile of waiting."""
    label = metric.label
    return label[0].lower() + label[1:] if not label[:2].isupper() else label


def listed(names: Sequence[str]) -> str:
    """Returns `a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def seeds_note(significant: bool | None, seeds: int, is_exact: bool = False) -> str:
    """Returns how sure a difference is, in brackets behind it; nothing with a single seed."""
    if seeds == 1 or significant is None:
        return ""
    if is_exact:
        return f" (the same under all {seeds} seeds)"
    return f" ({'significant' if significant else 'not significant'}, {seeds} seeds)"


def duration(seconds: float) -> str:
    """Returns a time in the unit in which it reads well."""
    for unit, size, limit in (("s", 1, 180), ("min", 60, 180), ("h", 3600, 96)):
        if abs(seconds) < size * limit:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 86400:,.1f} d"


def mean_of(comparison: Comparison, scheduler: str) -> float:
    """Returns the mean of a scheduler that has one, in the comparison's unit."""
    return next(cell.interval.mean for cell in comparison.cells if cell.interval and cell.scheduler == scheduler)
