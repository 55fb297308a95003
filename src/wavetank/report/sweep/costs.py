"""The costs of a sweep for the terminal: which scenario is cheapest."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.statistics import Interval, mean_interval

_Means = dict[tuple[str, str], list[float]]  # values over the seeds, by scenario and scheduler


def cost_table(out: Path) -> Table | None:
    """Returns a row per scenario and scheduler, the cheapest first; None if there are no costs to compare."""
    folder = SweepFolder(out)
    costs = _values(folder, "cost")
    if len(costs) < 2:
        return None
    waits, left = _values(folder, "mean_waiting_time_s"), _values(folder, "unscheduled_pods")
    table = Table(title="Cost", caption=_caption(folder), box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("Scenario", "Scheduler", "Cost", "×", "Mean wait [s]", "Pods left"):
        table.add_column(Text(name), justify="left" if name.startswith("Sc") else "right", overflow="fold")
    ranked = sorted(((mean_interval(values), key) for key, values in costs.items()), key=lambda each: each[0].mean)
    cheapest = ranked[0][0].mean
    for cost, key in ranked:
        wait, pods = (mean_interval(of[key]).mean if key in of else None for of in (waits, left))
        times = f"{cost.mean / cheapest:.2f}" if cheapest else ""
        cells = (*key, _text(cost), times, "" if wait is None else f"{wait:,.1f}", "" if pods is None else f"{pods:g}")
        table.add_row(*map(Text, cells))
    return table


def _values(folder: SweepFolder, metric: str) -> _Means:
    values: _Means = {}
    for row in folder.rows:
        if row.get(metric) is not None:
            values.setdefault((row["scenario"], row["scheduler"]), []).append(float(row[metric]))
    return values


def _text(cost: Interval) -> str:
    spread = "" if cost.half_width is None else f" ±{cost.half_width:.3g}"
    return f"{cost.mean:,.4g}{spread}"


def _caption(folder: SweepFolder) -> str:
    seeds = len({row["seed"] for row in folder.rows})
    return f"mean over {seeds} seed{'s' if seeds != 1 else ''}, ± 95 % confidence; × the cheapest"
