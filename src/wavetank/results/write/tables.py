"""The files of one run: pods.csv, nodes.csv and utilization.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.kernel.durations import SECOND
from wavetank.results import schema
from wavetank.results.columns.decimals import seconds_cells
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.metrics.usage import Buckets
from wavetank.results.recording.podrow import PodRow
from wavetank.results.recording.recordedpods import requests_text
from wavetank.results.recording.recorder import NodeState
from wavetank.results.write.csvfiles import Blocks, quoted, quoted_cell, write_columns, write_rows

_MOST_ENDINGS = 1 << 12  # of rows, that are remembered: in some traces nearly every pod has its own
_ENDING_COLUMNS = "phase,reason,restarts,cpu_milli,memory_bytes,requests,priority,scheduler,message"
_Ending = tuple[str, str, int, PodSpec, int, str, str]
_ENDING = attrgetter("phase", "reason", "restarts", "spec", "priority", "scheduler", "message")


def write_tables(pods: PodTable, folder: Path) -> None:
    """Writes the tables of a run."""
    write_columns(folder, schema.PODS, len(pods.rows), _PodCells(pods).blocks)
    write_rows(folder, schema.NODES, [_node_row(node) for node in pods.recorder.nodes])
    if pods.recorder.node_states:
        write_rows(folder, schema.NODE_STATES, [_state_row(each) for each in pods.recorder.node_states])
    write_rows(folder, schema.UTILIZATION, list(_usage_rows(pods.usage)))


class _PodCells:
    """The cells of pods.csv; what many pods share is written once."""

    def __init__(self, pods: PodTable) -> None:
        self._pods = pods
        self._namespaces, self._nodes = pods.namespace.table(quoted_cell), pods.node.table(quoted_cell)
        self._endings = _Endings()

    def blocks(self, part: slice) -> Blocks:
        """Returns the cells of some rows."""
        pods, rows = self._pods, self._pods.rows[part]
        times = (pods.submitted[part], pods.scheduled[part], pods.started[part], pods.finished[part])
        return {
            "namespace": self._namespaces[pods.namespace.codes[part]].tolist(),
            "name": quoted(pods.names[part]),
            "job": quoted(pods.job_ids[part]),
            "submitted,scheduled,started,finished": seconds_cells(*times),
            "node": self._nodes[pods.node.codes[part]].tolist(),
            _ENDING_COLUMNS: list(map(self._endings.__getitem__, map(_ENDING, rows))),
            **self._gpu_blocks(rows),
        }

    def _gpu_blocks(self, rows: Sequence[PodRow]) -> Blocks:
        gpus = self._pods.recorder.gpus
        if gpus is None:
            return {}
        keys = [(row.namespace, row.name) for row in rows]
        return {
            "gpu_milli": [str(gpus.wanted(key)) for key in keys],
            "gpus": quoted([gpus.devices(key) for key in keys]),
        }


class _Endings(dict[_Ending, str]):
    """The cells of pods.csv from the phase on, which most pods share with many others."""

    def __missing__(self, ending: _Ending) -> str:
        if len(self) == _MOST_ENDINGS:
            self.clear()
        phase, reason, restarts, spec, priority, scheduler, message = ending
        asked = f"{spec.requests.get(CPU, 0)},{spec.requests.get(MEMORY, 0)},{quoted_cell(requests_text(spec))}"
        ends = f"{phase},{quoted_cell(reason)},{restarts}"
        cells = self[ending] = f"{ends},{asked},{priority},{quoted_cell(scheduler)},{quoted_cell(message)}"
        return cells


def _node_row(node: Node) -> Mapping[str, object]:
    has = node.allocatable
    return {
        "name": node.name,
        "cpu_milli": has.get(CPU, 0),
        "memory_bytes": has.get(MEMORY, 0),
        "pods": has.get(PODS, 0),
    }


def _state_row(state: NodeState) -> Mapping[str, object]:
    return {
        "time_s": f"{state.time / SECOND:.6f}",
        "name": state.name,
        "ready": _yes(state.ready),
        "schedulable": _yes(state.schedulable),
    }


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _usage_rows(usage: Buckets) -> Iterator[Mapping[str, object]]:
    names = schema.UTILIZATION.names()
    for values in zip(*(getattr(usage, name) for name in names), strict=True):
        yield {name: _rounded(float(value)) for name, value in zip(names, values, strict=True)}


def _rounded(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
