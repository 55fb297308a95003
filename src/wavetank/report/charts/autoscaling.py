"""Load, replicas and capacity of autoscalers over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wavetank.results.layout import AUTOSCALERS
from wavetank.results.read.frames import Row, read_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import AUTOSCALERS as AUTOSCALER_TABLE
from wavetank.results.schema import AUTOSCALING

MOST_POINTS = 1_500  # of an autoscaler: a chart is not wider than that
_COLUMNS = ("time_s", "load_pods", "desired_replicas", "ready_pods", "use", "target")
_FIGURES = (
    "pod_hours",
    "missing_pod_hours",
    "time_above_target_s",
    "rescales",
    "rescaled_replicas",
    "largest_rescale",
    "direction_changes",
)


def has_autoscalers(folder: ResultsFolder) -> bool:
    """Tells whether any run has autoscalers."""
    return any((run.path / AUTOSCALERS).is_file() for run in folder.runs)


def autoscaling_data(folder: ResultsFolder, seeds: Sequence[int | None]) -> list[dict[str, Any]]:
    """Returns what the chart draws of the runs with these seeds."""
    runs = [run for run in folder.runs if run.seed in seeds and (run.path / AUTOSCALERS).is_file()]
    return [_run(run, folder.experiment.horizon_s) for run in runs]


def _run(run: RunFolder, horizon_s: float | None) -> dict[str, Any]:
    syncs: list[Row] = read_table(run.path, AUTOSCALING, "rows")
    by_name: dict[Any, list[Row]] = {}
    for row in syncs:
        by_name.setdefault(row["hpa"], []).append(row)
    last = max((float(row["time_s"] or 0) for row in syncs), default=0.0)
    totals: list[Row] = read_table(run.path, AUTOSCALER_TABLE, "rows")
    return {
        "scheduler": run.scheduler,
        "seed": run.seed,
        "end": max(horizon_s or 0.0, last),
        "hpas": [_autoscaler(each, by_name.get(each["hpa"], [])) for each in totals],
    }


def _autoscaler(totals: Row, rows: Sequence[Row]) -> dict[str, Any]:
    chosen = _thinned(rows)
    return {
        "name": totals["hpa"],
        "scales": totals["scales"],
        "least": totals["min_replicas"],
        "most": totals["max_replicas"],
        "metric": next((row["metric"] for row in rows if row["metric"]), ""),
        "columns": [[row[name] for row in chosen] for name in _COLUMNS],
        "figures": [totals[name] for name in _FIGURES],
    }


def _thinned(rows: Sequence[Row]) -> Sequence[Row]:
    """Keeps at most MOST_POINTS rows, of neighbours the one with the highest load."""
    step = -(-len(rows) // MOST_POINTS)
    if step <= 1:
        return rows
    groups = (rows[i : i + step] for i in range(0, len(rows), step))
    return [max(group, key=lambda row: float(row["load_pods"] or 0)) for group in groups]
