"""Capacity against demand, and the timeline of nodes, of runs with node groups or prices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wavetank.report.page.packing import pack_floats
from wavetank.results.layout import NODE_TIMELINE as TIMELINE_FILE
from wavetank.results.read.frames import Row, read_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import CAPACITY, NAMESPACE_COSTS, NODE_GROUPS, NODE_TIMELINE

MOST_MACHINES = 2_000  # of a run: more bars than that would be thinner than a pixel
_TIMES = ("ordered_s", "node_s", "notice_s", "removal_s", "gone_s")
_CAPACITY = (
    "time_s",
    "cpu_milli",
    "cpu_requested_milli",
    "cpu_pending_milli",
    "memory_bytes",
    "memory_requested_bytes",
    "memory_pending_bytes",
    "nodes",
    "booting",
    "price",
    "idle_price",
    "cost",
)
_GROUP = (
    "group",
    "mean_nodes",
    "most_nodes",
    "node_hours",
    "ordered",
    "failed",
    "mean_boot_s",
    "removed",
    "flaps",
    "interruptions",
    "price",
    "cost",
    "idle_cost",
)
_NAMESPACE = ("namespace", "pods", "finished_pods", "cost", "cost_per_finished_pod")


def has_nodes(folder: ResultsFolder) -> bool:
    """Tells whether any run has node groups or prices."""
    return any((run.path / TIMELINE_FILE).is_file() for run in folder.runs)


def node_data(folder: ResultsFolder, seeds: Sequence[int | None]) -> list[dict[str, Any]]:
    """Returns what the charts draw of the runs with these seeds."""
    return [_run(run) for run in folder.runs if run.seed in seeds and (run.path / TIMELINE_FILE).is_file()]


def _run(run: RunFolder) -> dict[str, Any]:
    machines: list[Row] = read_table(run.path, NODE_TIMELINE, "rows")
    groups: list[Row] = read_table(run.path, NODE_GROUPS, "rows")
    names = [each["group"] for each in groups]
    shown = sorted((each for each in machines if each["group"] in names), key=lambda each: names.index(each["group"]))
    costs = run.path / NAMESPACE_COSTS.file
    return {
        "scheduler": run.scheduler,
        "seed": run.seed,
        "capacity": _packed(run),
        "groups": [[each[name] for name in _GROUP] for each in groups],
        "machines": [
            [each["name"], names.index(each["group"]), *(each[time] for time in _TIMES), each["price"], each["cost"]]
            for each in shown[:MOST_MACHINES]
        ],
        "left": max(len(shown) - MOST_MACHINES, 0),
        "namespaces": _namespaces(run) if costs.is_file() else [],
    }


def _packed(run: RunFolder) -> str:
    rows: list[Row] = read_table(run.path, CAPACITY, "rows")
    return pack_floats([np.array([row[name] for row in rows], np.float64) for name in _CAPACITY])


def _namespaces(run: RunFolder) -> list[list[Any]]:
    rows: list[Row] = read_table(run.path, NAMESPACE_COSTS, "rows")
    return [[row[name] for name in _NAMESPACE] for row in rows]
