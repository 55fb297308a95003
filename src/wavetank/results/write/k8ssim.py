"""A run as K8sSim's own client writes it: tasksSUM.csv and coutJCT.csv, to the byte."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from wavetank.cluster.fields.resources import CPU, MEMORY, format_amounts, parse_amounts
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.k8ssim.demand import GPU
from wavetank.results import schema
from wavetank.results.recording.k8ssimtasks import TaskRow
from wavetank.results.write.csvfiles import write_rows

# K8sSim writes CPU under the headings of memory, and memory under those of CPU.
_HEADINGS = {CPU: "memory", MEMORY: "cpu", GPU: "gpu"}
_YEAR_ONE = datetime(1, 1, 1)


def write_k8ssim(rows: Iterable[TaskRow], folder: Path) -> None:
    """Writes the two tables; only tasks that have succeeded are in them."""
    jobs: defaultdict[tuple[str, str], list[TaskRow]] = defaultdict(list)
    for row in rows:
        jobs[row.pod.namespace, row.job].append(row)
    done = [sorted(filter(_is_done, jobs[key]), key=_task_name) for key in sorted(jobs)]
    write_rows(folder, schema.K8SSIM_TASKS, [cells for tasks in done for cells in _task_rows(tasks)])
    longest = max((_completion(tasks) for tasks in done if tasks), default=None)
    jobs_row = {"Job Name": "job1", "Job Completed Time(s)": longest}
    write_rows(folder, schema.K8SSIM_JOBS, [] if longest is None else [jobs_row])


def _is_done(row: TaskRow) -> bool:
    return row.succeeded and row.bound is not None and row.ended is not None


def _task_name(row: TaskRow) -> str:
    return f"{row.pod.namespace}-{row.pod.name}"


def _completion(tasks: Sequence[TaskRow]) -> float:
    """Returns how long a job took from its first task to its last; K8sSim keeps the longest of all jobs."""
    return _seconds(max(row.ended or 0 for row in tasks) - min(row.pod.created for row in tasks))


def _task_rows(tasks: Sequence[TaskRow]) -> Iterator[Mapping[str, object]]:
    submitted = min((row.pod.created for row in tasks), default=0)
    for row in tasks:
        created, bound, ended = row.pod.created, row.bound or 0, row.ended or 0
        yield {
            "Pod_name": _task_name(row),
            "Job_name": row.job,
            "Job_submit": _time(submitted),
            "Pod_create": _time(created),
            "Pod_start": _time(bound),
            "Pod_end": _time(ended),
            "Pod_wait_create": _seconds(created - submitted),
            "Pod_wait_run": _seconds(bound - created),
            "Pod_wait_total": _seconds(bound - submitted),
            "Pod_running_time": _seconds(ended - bound),
            "Pod_total_time": _seconds(ended - submitted),
            "Running node": row.pod.node_name,
            **_resources(row),
        }


def _resources(row: TaskRow) -> Mapping[str, str]:
    resources = row.pod.spec.manifest["containers"][0].get("resources") or {}
    cells = {}
    for side in ("requests", "limits"):
        amounts = parse_amounts(resources.get(side) or {})
        for name, heading in _HEADINGS.items():
            cells[f"{side.capitalize()}_{heading}"] = format_amounts({name: amounts.get(name, 0)})[name]
    return cells


def _seconds(time: Nanoseconds) -> float:
    return float(time // SECOND)


def _time(time: Nanoseconds) -> str:
    return str(_YEAR_ONE + timedelta(seconds=time // SECOND))
