"""A run as K8sSim's own client writes it: tasksSUM.csv and coutJCT.csv, to the byte."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from wavetank.cluster.fields.resources import CPU, MEMORY, format_amounts, parse_amounts
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.k8ssim.demand import GPU
from wavetank.results.recording.k8ssimtasks import TaskRow
from wavetank.results.write.tables import write_csv

TASKS_FILE, JOBS_FILE = "tasksSUM.csv", "coutJCT.csv"
TASK_COLUMNS = (
    *("Pod_name", "Job_name", "Job_submit", "Pod_create", "Pod_start", "Pod_end"),
    *("Pod_wait_create", "Pod_wait_run", "Pod_wait_total", "Pod_running_time", "Pod_total_time", "Running node"),
    # K8sSim writes the CPUs under the heading of the memory, and the memory under that of the CPUs
    *("Requests_memory", "Limits_memory", "Requests_cpu", "Limits_cpu", "Requests_gpu", "Limits_gpu"),
)
JOB_COLUMNS = ("Job Name", "Job Completed Time(s)")

_YEAR_ONE = datetime(1, 1, 1)


def write_k8ssim(rows: Iterable[TaskRow], folder: Path) -> None:
    """Writes the two tables; only tasks that have succeeded are in them."""
    jobs: defaultdict[tuple[str, str], list[TaskRow]] = defaultdict(list)
    for row in rows:
        jobs[row.pod.namespace, row.job].append(row)
    done = [sorted(filter(_is_done, jobs[key]), key=_task_name) for key in sorted(jobs)]
    write_csv(folder / TASKS_FILE, TASK_COLUMNS, (cells for tasks in done for cells in _task_cells(tasks)))
    longest = max((_completion(tasks) for tasks in done if tasks), default=None)
    write_csv(folder / JOBS_FILE, JOB_COLUMNS, [] if longest is None else [("job1", longest)])


def _is_done(row: TaskRow) -> bool:
    return row.succeeded and row.bound is not None and row.ended is not None


def _task_name(row: TaskRow) -> str:
    return f"{row.pod.namespace}-{row.pod.name}"


def _completion(tasks: Sequence[TaskRow]) -> float:
    """Returns how long a job took from its first task to its last; K8sSim keeps the longest of all jobs."""
    return _seconds(max(row.ended or 0 for row in tasks) - min(row.pod.created for row in tasks))


def _task_cells(tasks: Sequence[TaskRow]) -> Iterator[Sequence[object]]:
    submitted = min((row.pod.created for row in tasks), default=0)
    for row in tasks:
        created, bound, ended = row.pod.created, row.bound or 0, row.ended or 0
        yield (
            *(_task_name(row), row.job, _time(submitted), _time(created), _time(bound), _time(ended)),
            *(_seconds(created - submitted), _seconds(bound - created), _seconds(bound - submitted)),
            *(_seconds(ended - bound), _seconds(ended - submitted), row.pod.node_name),
            *_resources(row),
        )


def _resources(row: TaskRow) -> Iterator[str]:
    resources = row.pod.manifest["spec"]["containers"][0].get("resources") or {}
    amounts = [parse_amounts(resources.get(side) or {}) for side in ("requests", "limits")]
    for name in (CPU, MEMORY, GPU):
        for side in amounts:
            yield format_amounts({name: side.get(name, 0)})[name]


def _seconds(time: Nanoseconds) -> float:
    return float(time // SECOND)


def _time(time: Nanoseconds) -> str:
    return str(_YEAR_ONE + timedelta(seconds=time // SECOND))
