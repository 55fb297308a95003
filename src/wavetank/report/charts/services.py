"""Services: their graph, load and response times over time, and single requests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from wavetank.results.layout import SERVICES as SERVICES_FILE
from wavetank.results.read.frames import Row, read_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import (
    SERVICE_CALLS,
    SERVICE_HISTOGRAMS,
    SERVICE_LOAD,
    SERVICE_OVERLOADS,
    SERVICE_PODS,
    SERVICE_SPANS,
    SERVICES,
    SERVICES_OVER_TIME,
    Table,
)

MOST_POINTS = 600  # of a line: a chart is not much wider
MOST_COLUMNS = 160  # of a heat map
MOST_TRACES = 40
_TOTALS = ("service", "operation", "succeeded", "failed", "throughput", "p50_s", "p95_s", "p99_s", "p999_s", "max_s")
_CALLS = (
    *("caller_service", "caller_operation", "service", "operation", "succeeded", "failed", "failures"),
    *("mean_s", "messages_s", "calls_s", "cpu_s", "p50_s", "p95_s", "p99_s", "p999_s", "max_s"),
)
_LOAD = ("time_s", "queue", "cpu", "throttled", "pods", "open_requests")
_OVERLOAD = ("service", "pod", "since_s", "until_s", "queue_at_start", "longest_queue", "link")
_SPAN = (
    *("span", "parent", "service", "operation", "pod", "node"),
    *("sent", "received", "queued", "computed", "ended", "reason"),
)


def has_services(folder: ResultsFolder) -> bool:
    """Tells whether any run has services."""
    return any((run.path / SERVICES_FILE).is_file() for run in folder.runs)


def services_data(folder: ResultsFolder, seeds: Sequence[int | None]) -> list[dict[str, Any]]:
    """Returns what the charts draw of the runs with these seeds."""
    runs = [run for run in folder.runs if run.seed in seeds and (run.path / SERVICES_FILE).is_file()]
    return [_run(run, folder.experiment.horizon_s or 1.0) for run in runs]  # a run with services has a horizon


def _run(run: RunFolder, end: float) -> dict[str, Any]:
    load = _rows(run, SERVICE_LOAD)
    services = list(dict.fromkeys(str(row["service"]) for row in load))
    return {
        "scheduler": run.scheduler,
        "seed": run.seed,
        "end": end,
        "services": [_service(name, load, _rows(run, SERVICE_PODS)) for name in services],
        "totals": _cells(_rows(run, SERVICES), _TOTALS),
        "calls": _cells(_rows(run, SERVICE_CALLS), _CALLS),
        "overloads": _cells(_rows(run, SERVICE_OVERLOADS), _OVERLOAD),
        "heat": _heat_maps(_rows(run, SERVICE_HISTOGRAMS), _rows(run, SERVICES_OVER_TIME), end),
        "traces": _traces(_rows(run, SERVICE_SPANS)),
    }


def _rows(run: RunFolder, table: Table) -> list[Row]:
    if not (run.path / table.file).is_file():
        return []
    rows: list[Row] = read_table(run.path, table, "rows")
    return rows


def _cells(rows: Sequence[Row], columns: Sequence[str]) -> list[list[Any]]:
    return [[row.get(name) for name in columns] for row in rows]


def _service(name: str, load: Sequence[Row], pods: Sequence[Row]) -> dict[str, Any]:
    rows = [row for row in load if row["service"] == name]
    step = -(-len(rows) // MOST_POINTS)
    groups = [rows[i : i + step] for i in range(0, len(rows), max(1, step))]
    # of neighbours the one with the longest queue: what is overlooked in a chart must not be a peak
    chosen = [max(group, key=lambda row: float(row["queue"] or 0)) for group in groups]
    shares = [float(row["cpu_utilization"] or 0) for row in rows]
    return {
        "name": name,
        "pods": sum(pod["service"] == name for pod in pods),
        "utilization": sum(shares) / len(shares) if shares else 0.0,
        "load": [[row[column] for row in chosen] for column in _LOAD],
    }


def _heat_maps(buckets: Sequence[Row], intervals: Sequence[Row], end: float) -> list[dict[str, Any]]:
    keys = list(dict.fromkeys((str(row["service"]), str(row["operation"])) for row in buckets))
    return [_heat_map(key, _of(key, buckets), _of(key, intervals), end) for key in sorted(keys)]


def _of(key: tuple[str, str], rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if _key(row) == key]


def _key(row: Row) -> tuple[str, str]:
    return str(row["service"]), str(row["operation"])


def _heat_map(key: tuple[str, str], buckets: Sequence[Row], intervals: Sequence[Row], end: float) -> dict[str, Any]:
    """Returns the counts by buckets and columns; lines of quantiles only if each column is one interval."""
    times = sorted({float(row["time_s"] or 0) for row in intervals})
    step = min((later - earlier for earlier, later in pairwise(times)), default=end)
    merged = -(-round(end / step) // MOST_COLUMNS) or 1
    width = step * merged
    bounds = sorted({(float(row["from_s"] or 0), float(row["to_s"] or 0)) for row in buckets})
    place = {low: i for i, (low, _) in enumerate(bounds)}
    cells: dict[tuple[int, int], int] = {}
    for row in buckets:
        cell = (int(float(row["time_s"] or 0) / width + 1e-9), place[float(row["from_s"] or 0)])
        cells[cell] = cells.get(cell, 0) + int(row["requests"] or 0)
    lines = [[row[name] for row in intervals] for name in ("time_s", "p50_s", "p99_s")] if merged == 1 else []
    return {
        "name": ".".join(key),
        "width": width,
        "bounds": bounds,
        "cells": [[column, bucket, count] for (column, bucket), count in sorted(cells.items())],
        "lines": lines,
    }


def _traces(spans: Sequence[Row]) -> list[list[list[Any]]]:
    """Returns the spans of each trace, the slowest traces first."""
    traces: dict[Any, list[Row]] = {}
    for row in spans:
        traces.setdefault(row["trace"], []).append(row)
    slowest = sorted(traces.values(), key=lambda rows: _length(rows[0]), reverse=True)
    return [_cells(rows, _SPAN) for rows in slowest[:MOST_TRACES]]


def _length(root: Row) -> float:
    return float(root["ended"] or 0) - float(root["sent"] or 0)
