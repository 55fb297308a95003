"""The files of one run: pods.csv, nodes.csv and utilization.csv."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from wavetank.cluster.node import Node
from wavetank.cluster.resources import CPU, MEMORY, PODS, Amounts, format_amounts
from wavetank.experiments.metrics import busy_span
from wavetank.experiments.podrow import PodRow
from wavetank.experiments.recorder import Recorder
from wavetank.kernel.durations import Nanoseconds, format_seconds

POD_COLUMNS = (
    "namespace",
    "name",
    "job",
    "submitted",
    "scheduled",
    "started",
    "finished",
    "node",
    "phase",
    "reason",
    "restarts",
    "cpu_milli",
    "memory_bytes",
    "requests",
    "priority",
    "scheduler",
    "message",
)


def write_tables(recorder: Recorder, end: Nanoseconds, folder: Path) -> None:
    """Writes the tables of a run that ended at `end`."""
    write_csv(folder / "pods.csv", POD_COLUMNS, _pod_rows(recorder.rows))
    write_csv(folder / "nodes.csv", ("name", "cpu_milli", "memory_bytes", "pods"), map(_node_row, recorder.nodes))
    write_csv(
        folder / "utilization.csv",
        ("time_s", "cpu_utilization", "memory_utilization", "pods_running", "pods_pending", "nodes"),
        _usage_rows(recorder, end),
    )


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Writes a table; None is an empty cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def seconds_or_nothing(time: Nanoseconds | None) -> str:
    """Writes a time in seconds, and one that never came as nothing."""
    return "" if time is None else format_seconds(time)


def _pod_rows(rows: list[PodRow]) -> Iterable[Sequence[object]]:
    texts: dict[int, str] = {}
    for row in rows:
        requests = row.spec.requests
        text = texts.get(id(requests))
        if text is None:
            text = texts[id(requests)] = _requests_text(requests)
        yield (
            row.namespace,
            row.name,
            row.job.id if row.job else row.name,
            format_seconds(row.submitted),
            seconds_or_nothing(row.scheduled),
            seconds_or_nothing(row.started),
            seconds_or_nothing(row.finished),
            row.node,
            row.phase,
            row.reason,
            row.restarts,
            requests.get(CPU, 0),
            requests.get(MEMORY, 0),
            text,
            row.priority,
            row.scheduler,
            row.message,
        )


def _requests_text(requests: Amounts) -> str:
    return ";".join(f"{name}={amount}" for name, amount in format_amounts(requests).items())


def _node_row(node: Node) -> Sequence[object]:
    allocatable = node.allocatable
    return node.name, allocatable.get(CPU, 0), allocatable.get(MEMORY, 0), allocatable.get(PODS, 0)


def _usage_rows(recorder: Recorder, end: Nanoseconds) -> Iterable[Sequence[object]]:
    usage = recorder.usage.buckets(*busy_span(recorder.rows, end))
    columns = (usage.cpu_utilization, usage.memory_utilization, usage.pods_running, usage.pods_pending, usage.nodes)
    for time, *values in zip(usage.time_s, *columns, strict=True):
        yield _rounded(float(time)), *(_rounded(float(value)) for value in values)


def _rounded(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
