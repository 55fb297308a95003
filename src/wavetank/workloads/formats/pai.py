"""Alibaba's GPU trace of 2020 (cluster-trace-gpu-v2020, "PAI"): machines, jobs, tasks, instances; no headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.objects.gpus import GPU, GPU_COUNT, GPU_MILLI, GPU_MODEL
from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest
from wavetank.workloads.names import object_name
from wavetank.workloads.tables import windows
from wavetank.workloads.tables.gpupods import GpuKind
from wavetank.workloads.tables.jobtable import Jobs, TableWorkload
from wavetank.workloads.tables.tracerows import (
    Row,
    TraceJob,
    cells_of_head,
    jobs_of,
    parts_of,
    read_each,
    rows_without_header,
)

TASKS = "tasks"  # option: the file of the tasks
TASK_OPTIONS = windows.OPTIONS
OPTIONS = (TASKS, *windows.OPTIONS)
DAWN = 8  # o'clock: where K8sSim parts the day and the night of this trace
EAST = 8 * windows.HOUR  # the trace's clock is that of UTC, its days are those of UTC+8
GPU_TYPE = "wavetank.dev/gpu-type"  # annotation: the type of GPU that a task got in the trace

_MACHINE = ("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu")
_JOB = ("job_name", "inst_id", "user", "status", "start_time", "end_time")
_TASK = (
    *("job_name", "task_name", "inst_num", "status", "start_time", "end_time"),
    *("plan_cpu", "plan_mem", "plan_gpu", "gpu_type"),
)
_INSTANCE = (
    *("job_name", "task_name", "inst_name", "worker_name", "inst_id", "status"),
    *("start_time", "end_time", "machine"),
)
_STATUSES = frozenset({"Running", "Terminated", "Failed", "Waiting", "Interrupted"})
_TASK_FILES = ("pai_task_table.csv", "pai_task_table.csv.gz")
_GIB = 1 << 30
_MOST_INSTANCES = 1_000_000
_NO_END = "a task or instance that did not both start and end in the trace"
_NO_TASK = "a job or instance whose task is not in the table of tasks"
_ROUNDED = "more than one GPU, not a whole number, is rounded up"


def is_pai_machines(file: InputFile) -> bool:
    """Tells whether a file looks like pai_machine_spec.csv."""
    cells = cells_of_head(file)
    return len(cells) == len(_MACHINE) and bool(re.fullmatch("[0-9a-f]{24}", cells[0])) and _numeric(cells[2:])


def is_pai_jobs(file: InputFile) -> bool:
    """Tells whether a file looks like pai_job_table.csv."""
    cells = cells_of_head(file)
    return len(cells) == len(_JOB) and cells[3] in _STATUSES and _numeric(cells[4:])


def is_pai_tasks(file: InputFile) -> bool:
    """Tells whether a file looks like pai_task_table.csv."""
    cells = cells_of_head(file)
    return len(cells) == len(_TASK) and cells[3] in _STATUSES and _numeric((cells[2], *cells[4:9]))


def is_pai_instances(file: InputFile) -> bool:
    """Tells whether a file looks like pai_instance_table.csv."""
    cells = cells_of_head(file)
    return len(cells) == len(_INSTANCE) and cells[5] in _STATUSES and _numeric(cells[6:8])


def _numeric(cells: Iterable[str]) -> bool:
    return all(re.fullmatch(r"[0-9.]*", cell) for cell in cells)


def read_pai_machines(file: InputFile) -> list[Manifest]:
    """Makes a node of each machine; its GPUs become nvidia.com/gpu, their type the label of Alibaba's scheduler."""
    return list(read_each(file, rows_without_header(file, _MACHINE), _machine))


def _machine(row: Row) -> Manifest:
    amounts = {
        CPU: round(row.number("cap_cpu", 1e6) * 1000),
        MEMORY: round(row.number("cap_mem", 1e6) * _GIB),
        PODS: MOST_PODS,
    }
    gpus = round(row.number("cap_gpu", 1024)) if row.get("cap_gpu") else 0
    if gpus:
        amounts[GPU] = gpus
    labels = {GPU_MODEL: row.label("gpu_type")} if gpus and row.get("gpu_type") else {}
    return node_manifest(row.name("machine"), labels, format_amounts(amounts))


class _Ask(NamedTuple):
    """What an instance asks for: milli-CPU, bytes, hundredths of a GPU, and the type of GPU that it got."""

    cpu: int
    memory: int
    gpu: int
    gpu_type: str


class _Task(NamedTuple):
    name: str
    size: int
    duration: Nanoseconds
    ask: _Ask


class PaiTasks(TableWorkload):
    """The tasks of pai_task_table.csv: each becomes `inst_num` pods `<job>-<task>-<number>`, submitted at its start.

    Each pod runs as long as its task did. plan_cpu and plan_gpu are in percent, plan_mem in GiB. Whole GPUs are
    requests for nvidia.com/gpu; a part of one is kept in annotations. The type of GPU is the one that the task got:
    an annotation, no demand. Options: `window` (day: 8 to 24 h, night: 0 to 8 h, in UTC+8), `day`; times count from
    the midnight (UTC+8) before the trace. Rows that did not both start and end are left out and counted.
    """

    def __init__(self, file: InputFile) -> None:
        self._window = windows.read_window(file.options, DAWN)
        super().__init__(file, self._read, _kind)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        return jobs_of(file, rows_without_header(file, _TASK), lambda row: self._task(file, row))

    def _task(self, file: InputFile, row: Row) -> TraceJob | None:
        span = _span(file, row)
        time = None if span is None else self._window.since(span[0] + EAST)
        if span is None or time is None:
            return None
        task = _read_task(file, row, span)
        return TraceJob(row.line, task.name, time, task.duration, task.ask, task.size)


class PaiJobs(TableWorkload):
    """The jobs of pai_job_table.csv with their tasks from pai_task_table.csv (option `tasks`, or next to it).

    The tasks are as in PaiTasks, but all of a job are submitted with the job: what they waited for in the trace is
    left to the simulated scheduler.
    """

    def __init__(self, file: InputFile) -> None:
        self._window = windows.read_window(file.options, DAWN)
        self._tasks = _tasks_by_job(file)
        super().__init__(file, self._read, _kind)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        rows = rows_without_header(file, _JOB)
        return parts_of(job for jobs in read_each(file, rows, lambda row: self._job(file, row)) for job in jobs)

    def _job(self, file: InputFile, row: Row) -> list[TraceJob]:
        if not row.get("start_time"):
            file.skipped[_NO_END] += 1
            return []
        time = self._window.since(row.time("start_time") + EAST)
        if time is None:
            return []
        tasks = self._tasks.get(row.text("job_name"), ())
        if not tasks:
            file.skipped[_NO_TASK] += 1
        return [TraceJob(row.line, task.name, time, task.duration, task.ask, task.size) for task in tasks]


class PaiInstances(TableWorkload):
    """The rows of pai_instance_table.csv: each becomes a pod that starts and ends as it did.

    What it asks for is the plan of its task in pai_task_table.csv (option `tasks`, or next to it).
    """

    def __init__(self, file: InputFile) -> None:
        self._window = windows.read_window(file.options, DAWN)
        self._asks = {task.name: task.ask for tasks in _tasks_by_job(file).values() for task in tasks}
        super().__init__(file, self._read, _kind, of_jobs=False)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        return jobs_of(file, rows_without_header(file, _INSTANCE), lambda row: self._instance(file, row))

    def _instance(self, file: InputFile, row: Row) -> TraceJob | None:
        span = _span(file, row)
        time = None if span is None else self._window.since(span[0] + EAST)
        if span is None or time is None:
            return None
        ask = self._asks.get(_task_name(row))
        if ask is None:
            file.skipped[_NO_TASK] += 1
            return None
        return TraceJob(row.line, row.name("worker_name"), time, span[1] - span[0], ask)


def _tasks_by_job(file: InputFile) -> dict[str, list[_Task]]:
    """Reads the table of tasks that belongs to a table of jobs or instances; tasks that did not end are left out."""
    table = InputFile.read(_task_file(file), lenient=file.lenient)
    if not is_pai_tasks(table):
        raise InputError(f"expected the columns {', '.join(_TASK)}, without a header", source=table.source)
    tasks: dict[str, list[_Task]] = {}
    for job, task in filter(None, read_each(table, rows_without_header(table, _TASK), lambda row: _named(table, row))):
        tasks.setdefault(job, []).append(task)
    file.skipped.update(table.skipped)
    file.assumed.update(table.assumed)
    return tasks


def _named(table: InputFile, row: Row) -> tuple[str, _Task] | None:
    span = _span(table, row)
    return None if span is None else (row.text("job_name"), _read_task(table, row, span))


def _task_file(file: InputFile) -> Path:
    given = file.options.get(TASKS)
    if given is not None:
        if not isinstance(given, str):
            raise InputError(f"expected the name of a file, got {given!r:.60}", path=f"options.{TASKS}")
        return file.path.parent / given
    found = [file.path.parent / name for name in _TASK_FILES if (file.path.parent / name).exists()]
    if not found:
        message = f"needs {_TASK_FILES[0]} next to it, or the option {TASKS}: the file of the tasks"
        raise InputError(message, source=file.source)
    return found[0]


def _read_task(file: InputFile, row: Row, span: Sequence[Nanoseconds]) -> _Task:
    size = round(row.number("inst_num", _MOST_INSTANCES)) if row.get("inst_num") else 1
    if size < 1:
        raise row.refusal("inst_num", f"a whole number, 1 to {_MOST_INSTANCES}")
    return _Task(_task_name(row), size, span[1] - span[0], _ask(file, row))


def _task_name(row: Row) -> str:
    return object_name(f"{row.text('job_name')}-{row.text('task_name')}", f"line {row.line}, task_name")


def _ask(file: InputFile, row: Row) -> _Ask:
    cpu = round(row.number("plan_cpu", 1e8) * 10) if row.get("plan_cpu") else 0
    memory = round(row.number("plan_mem", 1e6) * _GIB) if row.get("plan_mem") else 0
    gpu = round(row.number("plan_gpu", 102_400)) if row.get("plan_gpu") else 0
    if gpu > 100 and gpu % 100:
        file.assumed[_ROUNDED] += 1
        gpu = -(-gpu // 100) * 100
    return _Ask(cpu, memory, gpu, row.get("gpu_type"))


def _kind(ask: _Ask) -> GpuKind:
    requests = {name: amount for name, amount in ((CPU, ask.cpu), (MEMORY, ask.memory)) if amount}
    annotations = {GPU_TYPE: ask.gpu_type} if ask.gpu_type else {}
    if ask.gpu:
        gpus = max(1, ask.gpu // 100)
        annotations |= {GPU_COUNT: str(gpus), GPU_MILLI: str(min(ask.gpu, 100) * 10)}
        if ask.gpu >= 100:
            requests[GPU] = gpus
    return GpuKind(requests, annotations=annotations)


def _span(file: InputFile, row: Row) -> tuple[Nanoseconds, Nanoseconds] | None:
    """Returns when a row started and ended; None if one of them is missing."""
    if not (row.get("start_time") and row.get("end_time")):
        file.skipped[_NO_END] += 1
        return None
    start, end = row.time("start_time"), row.time("end_time")
    if end < start:
        raise row.refusal("end_time", f"a time at or after start_time, {row.get('start_time')}")
    return start, end
