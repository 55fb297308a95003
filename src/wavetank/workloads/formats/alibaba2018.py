"""Alibaba's trace of 2018 (cluster-trace-v2018): machines, batch tasks and batch instances, files without a header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest
from wavetank.workloads.names import object_name
from wavetank.workloads.tables import windows
from wavetank.workloads.tables.jobtable import Jobs, Kind, TableWorkload
from wavetank.workloads.tables.tracerows import Row, TraceJob, cells_of_head, jobs_of, read_each, rows_without_header

OPTIONS = ("memory", *windows.OPTIONS)
DAWN = 6  # o'clock: where K8sSim parts the day and the night of this trace
MEMORY_OF_100 = "512Gi"  # the trace gives memory in percent of the largest machine only
FAILURE_DOMAIN = "wavetank.dev/failure-domain-"  # label of nodes, followed by 1 or 2

_MACHINE = ("machine_id", "time_stamp", "failure_domain_1", "failure_domain_2", "cpu_num", "mem_size", "status")
_TASK = (
    "task_name",
    "instance_num",
    "job_name",
    "task_type",
    "status",
    "start_time",
    "end_time",
    "plan_cpu",
    "plan_mem",
)
_INSTANCE = (
    *("instance_name", "task_name", "job_name", "task_type", "status", "start_time", "end_time", "machine_id"),
    *("seq_no", "total_seq_no", "cpu_avg", "cpu_max", "mem_avg", "mem_max"),
)
_MOST_INSTANCES = 1_000_000
_NODE_OF_DAG = re.compile(r"[A-Za-z]+(\d{1,9})((?:_\d{1,9})*)(?:_[A-Za-z].*|_)?")
_USING = "USING"
_NO_END = "a task or instance that did not both start and end in the trace"
_ASKS_NOTHING = "a task without plan_cpu or plan_mem asks for none"


def is_machine_meta(file: InputFile) -> bool:
    """Tells whether a file looks like machine_meta.csv."""
    cells = cells_of_head(file)
    return len(cells) == len(_MACHINE) and cells[0].startswith("m_") and _numeric(cells[1:6])


def is_batch_task(file: InputFile) -> bool:
    """Tells whether a file looks like batch_task.csv."""
    cells = cells_of_head(file)
    return len(cells) == len(_TASK) and cells[2].startswith("j_") and _numeric((cells[1], *cells[5:]))


def is_batch_instance(file: InputFile) -> bool:
    """Tells whether a file looks like batch_instance.csv."""
    cells = cells_of_head(file)
    return len(cells) == len(_INSTANCE) and cells[2].startswith("j_") and _numeric((*cells[5:7], *cells[8:]))


def _numeric(cells: Iterable[str]) -> bool:
    return all(re.fullmatch(r"-?[0-9.]*", cell) for cell in cells)


def read_machine_meta(file: InputFile) -> list[Manifest]:
    """Makes a node of each machine, as its first row in status USING says.

    Later rows repeat it. A machine that is never in use is made unschedulable. `cpu_num` is in cores; a memory
    of 100 stands for the option `memory` (512Gi). Failure domains become labels.
    """
    whole = _whole_memory(file)
    machines: dict[str, Row] = {}
    for name, row in read_each(file, rows_without_header(file, _MACHINE), lambda row: (row.name("machine_id"), row)):
        if name not in machines or (machines[name].get("status") != _USING == row.get("status")):
            machines[name] = row
    file.assumed[_memory_note(whole)] += len(machines)
    return list(read_each(file, machines.values(), lambda row: _machine(row, whole)))


def _machine(row: Row, whole: int) -> Manifest:
    cpu, memory = row.integer("cpu_num", 1, 10**6) * 1000, round(row.number("mem_size", 100) / 100 * whole)
    labels = {f"{FAILURE_DOMAIN}{i}": row.label(f"failure_domain_{i}") for i in (1, 2)}
    capacity = format_amounts({CPU: cpu, MEMORY: memory, PODS: MOST_PODS})
    node = node_manifest(row.name("machine_id"), labels, capacity)
    return node if row.get("status") == _USING else {**node, "spec": {"unschedulable": True}}


class Alibaba2018Workload(TableWorkload):
    """What batch tasks and batch instances share: the window, what memory stands for, and pods of their own.

    The whole file is sorted by time, so memory grows with its rows: the options `window` (day: 6 to 24 h, night:
    0 to 6 h) and `day` cut out a part. A memory of 100 stands for the option `memory` (512Gi). Rows that did not
    both start and end in the trace are left out and counted, strict or not: they are no faults.
    """

    def __init__(self, file: InputFile) -> None:
        self._window = windows.read_window(file.options, DAWN)
        self._whole = _whole_memory(file)
        super().__init__(file, self._read, _kind, of_jobs=False)
        file.assumed[_memory_note(self._whole)] += self.jobs

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        raise NotImplementedError

    def _memory(self, row: Row, column: str) -> int:
        return round(row.number(column, 100) / 100 * self._whole) if row.get(column) else 0


class BatchTasks(Alibaba2018Workload):
    """The tasks of batch_task.csv: each becomes `instance_num` pods `<job>-<task>-<number>` of plan_cpu and plan_mem.

    Each runs as long as its task did. A task is submitted when it started in the trace; one that waits for others
    of its job (R3_1_2 waits for tasks 1 and 2) when the last of these ended there, if that was earlier: a faster
    or slower scheduler does not move it.
    """

    def __init__(self, file: InputFile) -> None:
        self._ends = _ends(file)
        super().__init__(file)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        return jobs_of(file, rows_without_header(file, _TASK), lambda row: self._task(file, row))

    def _task(self, file: InputFile, row: Row) -> TraceJob | None:
        span = _span(file, row)
        if span is None:
            return None
        time = self._window.since(min(span.start, self._ready(row)))
        if time is None:
            return None
        size = row.integer("instance_num", 1, _MOST_INSTANCES)
        name = object_name(f"{row.text('job_name')}-{row.text('task_name')}", f"line {row.line}, task_name")
        if not (row.get("plan_cpu") and row.get("plan_mem")):
            file.assumed[_ASKS_NOTHING] += 1
        ask = _Ask(_milli(row, "plan_cpu"), self._memory(row, "plan_mem"))
        return TraceJob(row.line, name, time, span.end - span.start, ask, size)

    def _ready(self, row: Row) -> Nanoseconds:
        """Returns when the tasks that this one waits for had ended in the trace; never, if there are none."""
        _, before = _place(row.get("task_name"))
        ends = [self._ends.get((row.get("job_name"), number), fields.LONGEST) for number in before]
        return max(ends, default=fields.LONGEST)


class BatchInstances(Alibaba2018Workload):
    """The rows of batch_instance.csv: each becomes a pod that starts and ends as it did.

    The file does not tell what an instance asked for: it asks for the most that it used (cpu_max, mem_max).
    """

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        return jobs_of(file, rows_without_header(file, _INSTANCE), lambda row: self._instance(file, row))

    def _instance(self, file: InputFile, row: Row) -> TraceJob | None:
        span = _span(file, row)
        time = None if span is None else self._window.since(span.start)
        if span is None or time is None:
            return None
        again = f"-{row.get('seq_no')}" if row.get("total_seq_no") not in ("", "1") else ""
        name = object_name(f"{row.text('instance_name')}{again}", f"line {row.line}, instance_name")
        ask = _Ask(_milli(row, "cpu_max"), self._memory(row, "mem_max"))
        return TraceJob(row.line, name, time, span.end - span.start, ask)


class _Ask(NamedTuple):
    cpu: int
    memory: int


class _Span(NamedTuple):
    start: Nanoseconds
    end: Nanoseconds


def _kind(ask: _Ask) -> Kind:
    return Kind({name: amount for name, amount in ((CPU, ask.cpu), (MEMORY, ask.memory)) if amount})


def _span(file: InputFile, row: Row) -> _Span | None:
    """Returns when a row started and ended; 0 or nothing in the trace is a time that did not come."""
    times = [row.time(column) if row.get(column) else 0 for column in ("start_time", "end_time")]
    if not all(times):
        file.skipped[_NO_END] += 1
        return None
    if times[1] < times[0]:
        raise row.refusal("end_time", f"a time at or after start_time, {row.get('start_time')}")
    return _Span(*times)


def _place(task_name: str) -> tuple[int | None, list[int]]:
    """Returns a task's number in its job's graph and those it waits for; None for tasks outside of any graph."""
    match = _NODE_OF_DAG.fullmatch(task_name)
    if match is None:
        return None, []
    return int(match[1]), [int(number) for number in match[2].split("_") if number]


def _ends(file: InputFile) -> dict[tuple[str, int], Nanoseconds]:
    """Returns when each task of a graph ended; rows that cannot be used are found by the reading that follows."""
    quiet = file.again()
    quiet.lenient = True
    return dict(filter(None, read_each(quiet, rows_without_header(quiet, _TASK), _end)))


def _end(row: Row) -> tuple[tuple[str, int], Nanoseconds] | None:
    number, _ = _place(row.get("task_name"))
    return None if number is None else ((row.get("job_name"), number), row.time("end_time"))


def _milli(row: Row, column: str) -> int:
    """Returns percents of a core in milli-CPU."""
    return round(row.number(column, 1e8) * 10) if row.get(column) else 0


def _whole_memory(file: InputFile) -> int:
    return fields.amounts({MEMORY: file.options.get("memory", MEMORY_OF_100)}, "options")[MEMORY]


def _memory_note(whole: int) -> str:
    return f"a memory of 100 is {format_amounts({MEMORY: whole})[MEMORY]}"
