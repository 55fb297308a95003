from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.columns.decimals import NEVER
from wavetank.results.recording.recordedpods import RecordedPods
from wavetank.results.recording.recorder import NodeChange

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_COLUMNS = ("cpu", "memory", "cpu_allocatable", "memory_allocatable", "running", "pending", "nodes")
_STEPS_S = (0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


@dataclass(frozen=True, slots=True)
class Buckets:
    """Means over equal stretches of time, where `time_s` is where each begins, and over all of it."""

    mean_cpu_utilization: float
    mean_memory_utilization: float
    time_s: FloatArray
    cpu_utilization: FloatArray
    memory_utilization: FloatArray
    pods_running: FloatArray
    pods_pending: FloatArray
    nodes: FloatArray


class Usage:
    """Requested resources over time: a step function with a step at every change.

    A pod asks from its binding to its end; allocatable is that of all nodes, a failed one included, since its pods
    hold it until they are evicted. `residents` were bound before the run and have waited for nothing in it.
    """

    def __init__(self, pods: RecordedPods, residents: RecordedPods, nodes: Sequence[NodeChange]) -> None:
        changes = [*_changes(pods), *_changes(residents, waited=False), _node_changes(nodes)]
        self._times = _distinct(np.concatenate([np.zeros(1, np.int64), *(change.times for change in changes)]))
        self._parts = [_Part(change.sums, _counts(change.times, self._times)) for change in changes]

    def buckets(self, begin: Nanoseconds, end: Nanoseconds, most: int = 1000) -> Buckets:
        """Returns the means over at most so many stretches of a round length; at an instant if begin is end."""
        span = max(end - begin, 1)
        width = next((int(step * SECOND) for step in _STEPS_S if step * SECOND * most >= span), span // most + 1)
        count = max(1, -(-span // width))
        edges = begin + width * np.arange(count + 1, dtype=np.int64)
        edges[-1] = max(end, begin)
        means, totals, level = {}, {}, _Level(self._times)
        for column in _COLUMNS:
            level.set_column(column, self._parts)
            means[column], totals[column] = level.means(edges), level.means(edges[[0, -1]])
        return Buckets(
            mean_cpu_utilization=float(_ratio(totals["cpu"], totals["cpu_allocatable"])[0]),
            mean_memory_utilization=float(_ratio(totals["memory"], totals["memory_allocatable"])[0]),
            time_s=edges[:-1] / SECOND,
            cpu_utilization=_ratio(means["cpu"], means["cpu_allocatable"]),
            memory_utilization=_ratio(means["memory"], means["memory_allocatable"]),
            pods_running=means["running"],
            pods_pending=means["pending"],
            nodes=means["nodes"],
        )


class _Part(NamedTuple):
    """One kind of change: `sums[column][n]` is the effect of the first n changes, `counts[step]` the n at each step."""

    sums: Mapping[str, IntArray]
    counts: npt.NDArray[np.int32]


class _Level:
    """One column as a step function of time; its arrays are large, so one instance serves all columns in turn."""

    def __init__(self, times: IntArray) -> None:
        self._times, self._widths = times, np.diff(times)
        self._values, self._counts, self._sums = np.empty((3, len(times)), np.int64)
        self._areas = np.zeros(len(times))

    def set_column(self, column: str, parts: Sequence[_Part]) -> None:
        """Computes the values of a column: the sum over all kinds of changes that affect it."""
        self._values.fill(0)
        for sums, counts in parts:
            if column in sums:
                self._counts[:] = counts
                self._values += sums[column].take(self._counts, out=self._sums, mode="clip")
        np.multiply(self._values[:-1], self._widths, out=self._areas[1:], dtype=np.float64)
        np.cumsum(self._areas, out=self._areas)

    def means(self, edges: IntArray) -> FloatArray:
        """Returns the mean between each two edges; of an empty stretch, the value there."""
        position = np.clip(np.searchsorted(self._times, edges, "right") - 1, 0, len(self._times) - 1)
        values = self._values[position].astype(np.float64)
        upto = self._areas[position] + values * np.maximum(edges - self._times[position], 0)
        widths = np.diff(edges).astype(np.float64)
        means = np.diff(upto) / np.where(widths > 0, widths, 1)
        return np.where(widths > 0, means, values[1:])


class _Change:
    """One kind of change: its `times` in order, and by column the running sums of its amounts, beginning with 0."""

    def __init__(self, times: IntArray, **amounts: IntArray | int) -> None:
        happened = np.flatnonzero(times != NEVER)
        order = happened[np.argsort(times[happened], kind="stable")]
        self.times = times[order]
        self.sums = {
            column: np.cumsum(np.append(0, np.broadcast_to(amount, len(times))[order]))
            for column, amount in amounts.items()
        }


def _distinct(times: IntArray) -> IntArray:
    times.sort(kind="stable")  # which is fast where they are nearly in order
    distinct: IntArray = times[np.append(times[1:] != times[:-1], True)]
    return distinct


def _counts(times: IntArray, steps: IntArray) -> npt.NDArray[np.int32]:
    """Returns how many of the times have come at each step; in 32 bits, since there are very many steps."""
    at_each = np.bincount(np.searchsorted(steps, times), minlength=len(steps))
    return np.cumsum(at_each, dtype=np.int32)


def _changes(pods: RecordedPods, waited: bool = True) -> Iterator[_Change]:
    """Yields the changes at submission, binding, start and end of the pods."""
    bound, ran = pods.scheduled != NEVER, pods.started != NEVER
    if waited:
        yield _Change(pods.submitted, pending=1)
        yield _Change(np.where(bound, pods.scheduled, pods.finished), pending=-1)
    yield _Change(pods.scheduled, cpu=pods.cpu, memory=pods.memory)
    yield _Change(pods.started, running=1)
    gone = np.where(bound, pods.finished, NEVER)
    yield _Change(gone, cpu=-pods.cpu, memory=-pods.memory, running=-ran.astype(np.int64))


def _node_changes(changes: Sequence[NodeChange]) -> _Change:
    times, cpu, memory, nodes = np.array(changes, np.int64).reshape(-1, 4).T
    return _Change(times, cpu_allocatable=cpu, memory_allocatable=memory, nodes=nodes)


def _ratio(asked: FloatArray, allocatable: FloatArray) -> FloatArray:
    return np.divide(asked, allocatable, out=np.zeros_like(asked), where=allocatable > 0)
