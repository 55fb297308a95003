from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.columns.decimals import NEVER
from wavetank.results.metrics.steps import Change, FloatArray, Steps, edges_between
from wavetank.results.recording.recordedpods import RecordedPods
from wavetank.results.recording.recorder import NodeChange

_COLUMNS = ("cpu", "memory", "cpu_allocatable", "memory_allocatable", "running", "pending", "nodes")


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
    hold it until they are evicted.
    """

    def __init__(self, pods: RecordedPods, nodes: Sequence[NodeChange]) -> None:
        self._steps = Steps([*_changes(pods), _node_changes(nodes)])

    def buckets(
        self, begin: Nanoseconds, end: Nanoseconds, until: Nanoseconds | None = None, most: int = 1000
    ) -> Buckets:
        """Returns the means over at most so many stretches of a round length; at an instant if begin is end.

        The stretches go on `until` a later time, if one is given; the means over all of it do not.
        """
        edges = edges_between(begin, end if until is None else max(until, end), most)
        whole = np.array([begin, max(begin, end)], np.int64)
        means, totals = {}, {}
        for column in _COLUMNS:
            means[column], totals[column] = self._steps.means(column, edges, whole)
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


def _changes(pods: RecordedPods) -> Iterator[Change]:
    """Yields the changes at submission, binding, start and end of the pods."""
    bound, ran = pods.scheduled != NEVER, pods.began != NEVER
    yield Change(pods.submitted, pending=1)
    yield Change(np.where(bound, pods.scheduled, pods.finished), pending=-1)
    yield Change(pods.scheduled, cpu=pods.cpu, memory=pods.memory)
    yield Change(pods.began, running=1)
    gone = np.where(bound, pods.finished, NEVER)
    yield Change(gone, cpu=-pods.cpu, memory=-pods.memory, running=-ran.astype(np.int64))


def _node_changes(changes: Sequence[NodeChange]) -> Change:
    times, cpu, memory, nodes = np.array(changes, np.int64).reshape(-1, 4).T
    return Change(times, cpu_allocatable=cpu, memory_allocatable=memory, nodes=nodes)


def _ratio(asked: FloatArray, allocatable: FloatArray) -> FloatArray:
    return np.divide(asked, allocatable, out=np.zeros_like(asked), where=allocatable > 0)
