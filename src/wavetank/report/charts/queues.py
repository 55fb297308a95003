"""Use of quota and pending workloads of ClusterQueues over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from wavetank.results.layout import QUEUES
from wavetank.results.read.frames import Row, read_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import QUEUE_QUOTAS, QUEUE_USAGE, WORKLOADS
from wavetank.results.schema import QUEUES as QUEUE_TABLE

MOST_POINTS = 1_000  # of a line: a chart is not wider than that
_FIGURES = (
    "workloads",
    "mean_wait_s",
    "p95_wait_s",
    "pending",
    "preempted",
    "preempting",
    "use",
    "borrowing_time",
)

_Line = list[list[float]]  # times, values


def has_queues(folder: ResultsFolder) -> bool:
    """Tells whether any run has ClusterQueues."""
    return any((run.path / QUEUES).is_file() for run in folder.runs)


def queue_data(folder: ResultsFolder, seeds: Sequence[int | None]) -> list[dict[str, Any]]:
    """Returns what the chart draws of the runs with these seeds."""
    runs = [run for run in folder.runs if run.seed in seeds and (run.path / QUEUES).is_file()]
    return [_run(run) for run in runs]


def _run(run: RunFolder) -> dict[str, Any]:
    queues: list[Row] = read_table(run.path, QUEUE_TABLE, "rows")
    names = [str(row["queue"]) for row in queues]
    workloads: list[Row] = read_table(run.path, WORKLOADS, "rows")
    used = _used(run)
    pending = {name: _pending([row for row in workloads if row["queue"] == name]) for name in names}
    times = [line[0][-1] for by_queue in used.values() for line in by_queue.values() if line[0]]
    times += [line[0][-1] for line in pending.values() if line[0]]
    return {
        "scheduler": run.scheduler,
        "seed": run.seed,
        "end": max(times, default=0.0),
        "names": names,
        "cohorts": [row["cohort"] for row in queues],
        "figures": [[row[name] for name in _FIGURES] for row in queues],
        "used": {resource: [lines.get(name) for name in names] for resource, lines in used.items()},
        "pending": [pending[name] for name in names],
    }


def _used(run: RunFolder) -> dict[str, dict[str, _Line]]:
    """Returns by resource and queue the use over time as a share of the nominal quota, all flavors together."""
    nominal: defaultdict[tuple[str, str], float] = defaultdict(float)
    quotas: list[Row] = read_table(run.path, QUEUE_QUOTAS, "rows")
    for row in quotas:
        nominal[str(row["queue"]), str(row["resource"])] += float(row["nominal"] or 0)
    steps: defaultdict[tuple[str, str], list[tuple[float, str, float]]] = defaultdict(list)
    usage: list[Row] = read_table(run.path, QUEUE_USAGE, "rows")
    for row in usage:
        key = str(row["queue"]), str(row["resource"])
        steps[key].append((float(row["time_s"] or 0), str(row["flavor"]), float(row["used"] or 0)))
    found: defaultdict[str, dict[str, _Line]] = defaultdict(dict)
    for (queue, resource), changes in steps.items():
        if nominal[queue, resource]:
            found[resource][queue] = _thinned(_shares(sorted(changes), nominal[queue, resource]))
    return found


def _shares(changes: Sequence[tuple[float, str, float]], nominal: float) -> _Line:
    held: dict[str, float] = {}
    times: list[float] = []
    values: list[float] = []
    for time, flavor, used in changes:
        held[flavor] = used
        if times and times[-1] == time:
            values[-1] = sum(held.values()) / nominal
        else:
            times.append(time)
            values.append(sum(held.values()) / nominal)
    return [times, [round(value, 4) for value in values]]


def _pending(rows: Sequence[Row]) -> _Line:
    """Returns how many workloads waited for their first admission over time."""
    changes: defaultdict[float, int] = defaultdict(int)
    for row in rows:
        changes[float(row["submitted_s"] or 0)] += 1
        if row["admitted_s"] is not None:
            changes[float(row["admitted_s"])] -= 1
    count, times, values = 0, [0.0], [0.0]
    for time in sorted(changes):
        count += changes[time]
        if count != values[-1]:
            times.append(time)
            values.append(count)
    return _thinned([times, values])


def _thinned(line: _Line) -> _Line:
    """Keeps at most MOST_POINTS points, of neighbours the highest."""
    times, values = line
    step = -(-len(times) // MOST_POINTS)
    if step <= 1:
        return line
    chosen = [max(range(i, min(i + step, len(times))), key=values.__getitem__) for i in range(0, len(times), step)]
    return [[times[i] for i in chosen], [values[i] for i in chosen]]
