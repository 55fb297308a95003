from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wavetank.cluster.node import Node
from wavetank.cluster.resources import CPU, MEMORY, Amounts
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds

FloatArray = npt.NDArray[np.float64]

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


class Usage:
    """How much of the cluster is asked for, over time: a step function with a step at every change.

    A pod asks from its binding to its end; allocatable is that of all nodes, a failed one included, since its pods
    hold it until they are evicted.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._now = dict.fromkeys(_COLUMNS, 0)
        self._times = array("q")
        self._steps = {column: array("q") for column in _COLUMNS}

    def node(self, old: Node | None, new: Node | None) -> None:
        """Notes a node that comes, changes or goes."""
        for node, sign in ((old, -1), (new, 1)):
            if node is not None:
                self._now["cpu_allocatable"] += sign * node.allocatable.get(CPU, 0)
                self._now["memory_allocatable"] += sign * node.allocatable.get(MEMORY, 0)
                self._now["nodes"] += sign
        self._step()

    def submitted(self) -> None:
        """Notes a pod that waits for a node."""
        self._now["pending"] += 1
        self._step()

    def left_queue(self) -> None:
        """Notes that a pod waits no longer."""
        self._now["pending"] -= 1
        self._step()

    def bound(self, requests: Amounts) -> None:
        """Notes that a pod occupies its node."""
        self._now["cpu"] += requests.get(CPU, 0)
        self._now["memory"] += requests.get(MEMORY, 0)
        self._step()

    def started(self) -> None:
        """Notes that a pod's containers run."""
        self._now["running"] += 1
        self._step()

    def released(self, requests: Amounts, started: bool) -> None:
        """Notes that a pod has left its node."""
        self._now["cpu"] -= requests.get(CPU, 0)
        self._now["memory"] -= requests.get(MEMORY, 0)
        self._now["running"] -= started
        self._step()

    def close(self) -> None:
        """Notes the end of the run."""
        self._step()

    def _step(self) -> None:
        now = self._clock.now
        if self._times and self._times[-1] == now:
            for column, value in self._now.items():
                self._steps[column][-1] = value
        else:
            self._times.append(now)
            for column, value in self._now.items():
                self._steps[column].append(value)

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
        times = np.frombuffer(self._times, np.int64)
        values = np.frombuffer(self._steps[column], np.int64).astype(np.float64)
        areas = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(times))])
        position = np.clip(np.searchsorted(times, edges, "right") - 1, 0, len(times) - 1)
        upto = areas[position] + values[position] * np.maximum(edges - times[position], 0)
        widths = np.diff(edges).astype(np.float64)
        means = np.diff(upto) / np.where(widths > 0, widths, 1)
        return np.where(widths > 0, means, values[position[1:]])


def _ratio(asked: FloatArray, allocatable: FloatArray) -> FloatArray:
    return np.divide(asked, allocatable, out=np.zeros_like(asked), where=allocatable > 0)
