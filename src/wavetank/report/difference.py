"""Differences between two results, for the terminal, for a notebook and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wavetank.results.compare.compare import KINDS, Difference, MetricPair, PodDifference, RunDifference
from wavetank.results.compare.podrecords import PodRecord
from wavetank.results.schema import Column, reported_metrics
from wavetank.results.statistics import mean_interval

MOST_PODS = 20  # shown by default
COUNT_HEADS = ("Only\nA", "Only\nB", "Other\nnode", "Other\nstart", "Other\nfinish", "Other\nphase", "Same")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table before it is drawn; `words` columns at the left are texts, the others numbers."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    note: str = ""


def difference_view(difference: Difference, most: int = MOST_PODS) -> RenderableType:
    """Returns the metrics, the counts and the first `most` differing pods, to print on a terminal."""
    return Group(*(_drawn(grid) for grid in _grids(difference, most)))


def difference_html(difference: Difference, most: int = MOST_PODS) -> str:
    """Returns the same as a fragment of HTML."""
    return f'<div class="wavetank">{"".join(_html(grid) for grid in _grids(difference, most))}</div>'


def difference_data(difference: Difference) -> dict[str, Any]:
    """Returns everything as plain data, for JSON; times are in seconds."""
    return {
        "differs": difference.differs,
        "runs": [_run_data(run) for run in difference.runs],
        "only_a": [run.label for run in difference.only_a],
        "only_b": [run.label for run in difference.only_b],
    }


def _run_data(run: RunDifference) -> dict[str, Any]:
    metrics = {name: {**pair._asdict(), "difference": pair.difference} for name, pair in run.metrics.items()}
    counts = {"same": run.same, **{str(kind): number for kind, number in run.counts.items()}}
    pods = [
        {"pod": pod.pod, "kinds": pod.kinds, "a": _pod_data(pod.a), "b": _pod_data(pod.b), "why": pod.why}
        for pod in run.pods
    ]
    return {
        "a": run.a.label,
        "b": run.b.label,
        "metrics": metrics,
        "counts": counts,
        "differing": run.differing,
        "pods": pods,
    }


def _pod_data(pod: PodRecord | None) -> dict[str, Any] | None:
    if pod is None:
        return None
    times = {name: float(text) if text else None for name, text in zip(pod._fields[:3], pod[:3], strict=True)}
    return {"node": pod.node, **times, "phase": pod.phase}


# the tables


def _grids(difference: Difference, most: int) -> Iterator[Grid]:
    groups: dict[str, list[RunDifference]] = {}
    for run in difference.runs:
        groups.setdefault(_change(run.a.scheduler, run.b.scheduler), []).append(run)
    for schedulers, runs in groups.items():
        if runs[0].metrics:
            yield _metrics(schedulers, runs)
        yield Grid(f"{schedulers}: pods", ("Seed", *COUNT_HEADS), [_counts(run) for run in runs])
    for run in difference.runs:
        if run.pods and most > 0:
            yield _pods(run, most)
        most -= len(run.pods)
    if difference.only_a or difference.only_b:
        sides = [("A", difference.only_a), ("B", difference.only_b)]
        yield Grid("Not compared", ("Only in", "Run"), [(side, run.label) for side, runs in sides for run in runs], 2)


def _metrics(schedulers: str, runs: Sequence[RunDifference]) -> Grid:
    known = [metric for metric in reported_metrics() if metric.name in runs[0].metrics]
    rows = [_metric_row(metric, [run.metrics[metric.name] for run in runs]) for metric in known]
    over = f", mean of {len(runs)} seeds" if len(runs) > 1 else ""
    return Grid(f"{schedulers}: metrics{over}", ("Metric", "A", "B", "Difference"), rows)


def _metric_row(metric: Column, pairs: Sequence[MetricPair]) -> Sequence[str]:
    a, b = (_mean([pair[side] for pair in pairs]) for side in (0, 1))
    unit = {"time": " [s]", "share": " [%]", "percent": " [%]"}.get(metric.kind, "")
    return f"{metric.label}{unit}", _number(metric, a), _number(metric, b), _gap(metric, a, pairs)


def _mean(values: Sequence[float | None]) -> float | None:
    """Returns the mean; None if one of the seeds has no value: a mean of the others would not be comparable."""
    defined = [value for value in values if value is not None]
    return mean_interval(defined).mean if len(defined) == len(values) else None


def _gap(metric: Column, a: float | None, pairs: Sequence[MetricPair]) -> str:
    """Returns how far B is from A, with the half-width of the 95 % interval over several seeds."""
    gaps = [pair.difference for pair in pairs if pair.difference is not None]
    if len(gaps) < len(pairs):
        return "–"
    if not any(gaps):
        return "="
    interval = mean_interval(gaps)
    spread = f" ± {_number(metric, interval.half_width)}" if interval.half_width is not None else ""
    relative = f" ({interval.mean / a:+.1%})" if a and metric.kind == "time" else ""
    return f"{_number(metric, interval.mean, '+')}{spread}{relative}"


def _number(metric: Column, value: float | None, sign: str = "") -> str:
    if value is None:
        return "–"
    if metric.kind == "count":
        return f"{value:{sign},.{0 if value.is_integer() else 1}f}"
    return f"{value * 100:{sign},.2f}" if metric.kind == "share" else f"{value:{sign},.3f}"


def _counts(run: RunDifference) -> Sequence[str]:
    return _seeds(run), *(f"{run.counts[kind]:,}" for kind in KINDS), f"{run.same:,}"


def _seeds(run: RunDifference) -> str:
    return _change(*("" if seed is None else str(seed) for seed in (run.a.seed, run.b.seed)))


def _pods(run: RunDifference, most: int) -> Grid:
    pods = run.pods[:most]
    title = f"{_change(run.a.scheduler, run.b.scheduler)}, seed {_seeds(run)}: differing pods"
    more = run.differing - len(pods)
    heads: tuple[str, ...] = ("Pod", "Node", "Start [s]", "Finish [s]", "Phase")
    rows = [_pod_row(pod) for pod in pods]
    if any(pod.why for pod in pods):
        heads = (*heads, "Why another node")
        rows = [(*row, pod.why) for row, pod in zip(rows, pods, strict=True)]
    return Grid(title, heads, rows, len(heads), f"… and {more:,} more" if more else "")


def _pod_row(pod: PodDifference) -> Sequence[str]:
    nothing = PodRecord("", "", "", "", "")
    a, b = pod.a or nothing, pod.b or nothing
    times = _time_change(a.started, b.started), _time_change(a.finished, b.finished)
    return pod.pod.removeprefix("default/"), _change(a.node, b.node), *times, _change(a.phase, b.phase)


def _time_change(a: str, b: str) -> str:
    """Returns both times to the millisecond, or exactly if they would look equal."""
    short_a, short_b = (f"{float(text):.3f}" if text else "" for text in (a, b))
    return _change(a, b) if a != b and short_a == short_b else _change(short_a, short_b)


def _change(a: str, b: str) -> str:
    return (a or "–") if a == b else f"{a or '–'} → {b or '–'}"


# drawing


def _drawn(grid: Grid) -> RenderableType:
    """Returns a table of Texts: names are never read as rich's markup."""
    table = Table(title=Text(grid.title), caption=Text(grid.note), box=box.SIMPLE_HEAD, pad_edge=False)
    table.title_justify = table.caption_justify = "left"
    for i, head in enumerate(grid.heads):
        table.add_column(Text(head), justify="left" if i < grid.words else "right", overflow="fold")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table


def _html(grid: Grid) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in grid.heads)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in grid.rows)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    note = f"<p>{escape(grid.note)}</p>" if grid.note else ""
    return f"<p><strong>{escape(grid.title)}</strong></p>{table}{note}"
