from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wavetank.experiments.decimals import NEVER
from wavetank.experiments.podcolumns import PodColumns
from wavetank.kernel.durations import SECOND, Nanoseconds

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_COLUMNS = ("cpu", "memory", "cpu_allocatable", "memory_allocatable", "running", "pending", "nodes")
_STEPS_S = (0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


@dataclass(frozen=True, slots=True)
class Buckets:
    """Means over equal stretches of time; `time_s` is where each begins."""

    time_s: FloatArray
    cpu_utilization: FloatArray
    memory_utilization: FloatArray
    pods_running: FloatArray
    pods_pending: FloatArray
    nodes: FloatArray


class NodeChange(NamedTuple):
    """What a node that came, changed or went made of the cluster's allocatable."""

    time: Nanoseconds
    cpu: int
    memory: int
    nodes: int


class Usage:
    """How much of the cluster is asked for, over time: a step function with a step at every change.

    A pod asks from its binding to its end; allocatable is that of all nodes, a failed one included, since its pods
    hold it until they are evicted. `residents` were bound before the run and have waited for nothing in it.
    """

    def __init__(self, pods: PodColumns, residents: PodColumns, nodes: Sequence[NodeChange]) -> None:
        changes = [_START, *_changes(pods), *_changes(residents, waited=False), _node_changes(nodes)]
        times = np.concatenate([change.times for change in changes])
        order = np.argsort(times, kind="stable")
        times = times[order]
        lasts = np.flatnonzero(np.diff(times, append=-1))  # of an instant
        self._times = times[lasts]
        self._values = {
            column: np.cumsum(np.concatenate([change.of(column) for change in changes])[order])[lasts]
            for column in _COLUMNS
        }

    # reading

    def mean_utilization(self, begin: Nanoseconds, end: Nanoseconds) -> tuple[float, float]:
        """Returns (CPU, memory) asked for ÷ allocatable, weighted by time; at an instant if begin is end."""
        edges = np.array([begin, end], np.int64)
        cpu, memory, of_cpu, of_memory = (self._means(column, edges)[0] for column in _COLUMNS[:4])
        return float(cpu / of_cpu if of_cpu else 0), float(memory / of_memory if of_memory else 0)

    def buckets(self, begin: Nanoseconds, end: Nanoseconds, most: int = 1000) -> Buckets:
        """Returns the means over at most so many stretches of a round length."""
        span = max(end - begin, 1)
        width = next((int(step * SECOND) for step in _STEPS_S if step * SECOND * most >= span), span // most + 1)
        count = max(1, -(-span // width))
        edges = begin + width * np.arange(count + 1, dtype=np.int64)
        edges[-1] = max(end, begin)
        means = {column: self._means(column, edges) for column in _COLUMNS}
        return Buckets(
            time_s=edges[:-1] / SECOND,
            cpu_utilization=_ratio(means["cpu"], means["cpu_allocatable"]),
            memory_utilization=_ratio(means["memory"], means["memory_allocatable"]),
            pods_running=means["running"],
            pods_pending=means["pending"],
            nodes=means["nodes"],
        )

    def _means(self, column: str, edges: npt.NDArray[np.int64]) -> FloatArray:
        """Returns the mean of a column between each two edges; of an empty stretch, its value there."""
        times, values = self._times, self._values[column].astype(np.float64)
        areas = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(times))])
        position = np.clip(np.searchsorted(times, edges, "right") - 1, 0, len(times) - 1)
        upto = areas[position] + values[position] * np.maximum(edges - times[position], 0)
        widths = np.diff(edges).astype(np.float64)
        means = np.diff(upto) / np.where(widths > 0, widths, 1)
        return np.where(widths > 0, means, values[position[1:]])


class _Change(NamedTuple):
    """Something that happened at some times, and by how much it changed some of the columns."""

    times: IntArray
    amounts: Mapping[str, IntArray | int]

    def of(self, column: str) -> IntArray:
        """Returns what it did to one column."""
        amounts = np.zeros(len(self.times), np.int64)
        amounts[:] = self.amounts.get(column, 0)
        return amounts


_START = _Change(np.zeros(1, np.int64), {})  # with nothing


def _changes(pods: PodColumns, waited: bool = True) -> Iterator[_Change]:
    """Yields what the pods' steps changed."""
    bound, ran = pods.scheduled != NEVER, pods.started != NEVER
    if waited:
        yield _change(pods.submitted, pending=1)
        yield _change(np.where(bound, pods.scheduled, pods.finished), pending=-1)
    yield _change(pods.scheduled, cpu=pods.cpu, memory=pods.memory)
    yield _change(pods.started, running=1)
    gone = np.where(bound, pods.finished, NEVER)
    yield _change(gone, cpu=-pods.cpu, memory=-pods.memory, running=-ran.astype(np.int64))


def _node_changes(changes: Sequence[NodeChange]) -> _Change:
    times, cpu, memory, nodes = np.array(changes, np.int64).reshape(-1, 4).T
    return _change(times, cpu_allocatable=cpu, memory_allocatable=memory, nodes=nodes)


def _change(times: IntArray, **amounts: IntArray | int) -> _Change:
    """Leaves out what never happened."""
    happened = times != NEVER
    kept = {name: amount if isinstance(amount, int) else amount[happened] for name, amount in amounts.items()}
    return _Change(times[happened], kept)


def _ratio(asked: FloatArray, allocatable: FloatArray) -> FloatArray:
    return np.divide(asked, allocatable, out=np.zeros_like(asked), where=allocatable > 0)
