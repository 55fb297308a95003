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
        self._since = clock.now  # when the present values began to hold
        self._steps = array("q")  # row after row: when the values began to hold, and the values
        self._cpu = self._memory = self._cpu_allocatable = self._memory_allocatable = 0
        self._running = self._pending = self._nodes = 0

    def node(self, old: Node | None, new: Node | None) -> None:
        """Notes a node that comes, changes or goes."""
        self._step()
        for node, sign in ((old, -1), (new, 1)):
            if node is not None:
                self._cpu_allocatable += sign * node.allocatable.get(CPU, 0)
                self._memory_allocatable += sign * node.allocatable.get(MEMORY, 0)
                self._nodes += sign

    def submitted(self) -> None:
        """Notes a pod that waits for a node."""
        self._step()
        self._pending += 1

    def left_queue(self) -> None:
        """Notes that a pod waits no longer."""
        self._step()
        self._pending -= 1

    def bound(self, requests: Amounts) -> None:
        """Notes that a pod occupies its node."""
        self._step()
        self._cpu += requests.get(CPU, 0)
        self._memory += requests.get(MEMORY, 0)

    def started(self) -> None:
        """Notes that a pod's containers run."""
        self._step()
        self._running += 1

    def released(self, requests: Amounts, started: bool) -> None:
        """Notes that a pod has left its node."""
        self._step()
        self._cpu -= requests.get(CPU, 0)
        self._memory -= requests.get(MEMORY, 0)
        self._running -= started

    def close(self) -> None:
        """Notes the end of the run."""
        self._keep()

    def _step(self) -> None:
        """Keeps the present values before the first change of a new instant."""
        if self._since != self._clock.now:
            self._keep()
            self._since = self._clock.now

    def _keep(self) -> None:
        self._steps.extend(
            (
                self._since,
                self._cpu,
                self._memory,
                self._cpu_allocatable,
                self._memory_allocatable,
                self._running,
                self._pending,
                self._nodes,
            )
        )

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
        rows = np.frombuffer(self._steps, np.int64).reshape(-1, 1 + len(_COLUMNS))
        times, values = rows[:, 0], rows[:, 1 + _COLUMNS.index(column)].astype(np.float64)
        areas = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(times))])
        position = np.clip(np.searchsorted(times, edges, "right") - 1, 0, len(times) - 1)
        upto = areas[position] + values[position] * np.maximum(edges - times[position], 0)
        widths = np.diff(edges).astype(np.float64)
        means = np.diff(upto) / np.where(widths > 0, widths, 1)
        return np.where(widths > 0, means, values[position[1:]])


def _ratio(asked: FloatArray, allocatable: FloatArray) -> FloatArray:
    return np.divide(asked, allocatable, out=np.zeros_like(asked), where=allocatable > 0)
