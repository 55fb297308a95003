"""The files of one run: pods.csv, nodes.csv and utilization.csv."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from operator import attrgetter
from pathlib import Path

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.results.columns.decimals import seconds_cells
from wavetank.results.columns.podcolumns import PART
from wavetank.results.columns.podtable import PodTable
from wavetank.results.recording.podrow import PodRow

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

GPU_COLUMNS = ("gpu_milli", "gpus")  # in runs that share GPUs

Texts = Sequence[str]

_MARKS = ',"\r\n'  # a cell that has one of them is quoted, if csv says so
_MOST_ENDINGS = 1 << 12  # of rows, that are remembered: in some traces nearly every pod has its own
_Ending = tuple[str, str, int, PodSpec, int, str, str]
_ENDING = attrgetter("phase", "reason", "restarts", "spec", "priority", "scheduler", "message")


def write_tables(pods: PodTable, folder: Path) -> None:
    """Writes the tables of a run."""
    header = POD_COLUMNS if pods.recorder.gpus is None else (*POD_COLUMNS, *GPU_COLUMNS)
    write_columns(folder / "pods.csv", header, len(pods.rows), _PodCells(pods).columns)
    write_csv(folder / "nodes.csv", ("name", "cpu_milli", "memory_bytes", "pods"), map(_node_row, pods.recorder.nodes))
    write_csv(
        folder / "utilization.csv",
        ("time_s", "cpu_utilization", "memory_utilization", "pods_running", "pods_pending", "nodes"),
        _usage_rows(pods),
    )


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Writes a table; None is an empty cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_columns(path: Path, header: Texts, rows: int, columns: Callable[[slice], Sequence[Texts]]) -> None:
    """Writes a long table, asking for the `columns` of some rows at a time: the same bytes as `write_csv`.

    What may need quotes in a column has got them from `quoted`.
    """
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(",".join(header) + "\n")
        for begin in range(0, rows, PART):
            cells = columns(slice(begin, begin + PART))
            file.write("\n".join(map(",".join, zip(*cells, strict=True))) + "\n")


def quoted(texts: Texts) -> Texts:
    """Returns the texts as cells of CSV: in quotes where they are needed, which is rarely."""
    together = "".join(texts)
    if not any(mark in together for mark in _MARKS):
        return texts
    return list(map(_cell, texts))


def _cell(text: str) -> str:
    if not any(mark in text for mark in _MARKS):
        return text
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow([text])
    return line.getvalue().removesuffix("\n")


class _PodCells:
    """The cells of pods.csv; what many pods share is written once."""

    def __init__(self, pods: PodTable) -> None:
        self._pods = pods
        self._namespaces, self._nodes = pods.namespace.table(_cell), pods.node.table(_cell)
        self._endings = _Endings()

    def columns(self, part: slice) -> list[Texts]:
        """Returns the columns of some rows."""
        pods, rows = self._pods, self._pods.rows[part]
        return [
            self._namespaces[pods.namespace.codes[part]].tolist(),
            quoted(pods.names[part]),
            quoted(pods.job_ids[part]),
            seconds_cells(pods.submitted[part], pods.scheduled[part], pods.started[part], pods.finished[part]),
            self._nodes[pods.node.codes[part]].tolist(),
            list(map(self._endings.__getitem__, map(_ENDING, rows))),
            *self._of_gpus(rows),
        ]

    def _of_gpus(self, rows: Sequence[PodRow]) -> list[Texts]:
        gpus = self._pods.recorder.gpus
        if gpus is None:
            return []
        keys = [(row.namespace, row.name) for row in rows]
        return [[str(gpus.wanted(key)) for key in keys], quoted([gpus.devices(key) for key in keys])]


class _Endings(dict[_Ending, str]):
    """The cells of pods.csv from the phase on, which most pods share with many others."""

    def __missing__(self, ending: _Ending) -> str:
        if len(self) == _MOST_ENDINGS:
            self.clear()
        phase, reason, restarts, spec, priority, scheduler, message = ending
        asked = f"{spec.requests.get(CPU, 0)},{spec.requests.get(MEMORY, 0)},{_cell(requests_text(spec))}"
        ends = f"{phase},{_cell(reason)},{restarts}"
        cells = self[ending] = f"{ends},{asked},{priority},{_cell(scheduler)},{_cell(message)}"
        return cells


def requests_text(spec: PodSpec) -> str:
    """Returns all that pods request, as pods.csv has it: cpu=500m;memory=1Gi."""
    return ";".join(f"{name}={amount}" for name, amount in format_amounts(spec.requests).items())


def _node_row(node: Node) -> Sequence[object]:
    allocatable = node.allocatable
    return node.name, allocatable.get(CPU, 0), allocatable.get(MEMORY, 0), allocatable.get(PODS, 0)


def _usage_rows(pods: PodTable) -> Iterable[Sequence[object]]:
    usage = pods.usage
    columns = (usage.cpu_utilization, usage.memory_utilization, usage.pods_running, usage.pods_pending, usage.nodes)
    for time, *values in zip(usage.time_s, *columns, strict=True):
        yield _rounded(float(time)), *(_rounded(float(value)) for value in values)


def _rounded(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
