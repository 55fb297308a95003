"""Fairness between jobs and between namespaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.kernel.durations import SECOND
from wavetank.results.columns.decimals import NEVER
from wavetank.results.metrics.jobs import FinishedJobs
from wavetank.results.metrics.podtable import PodTable

FloatArray = NDArray[np.float64]

_SHORTEST_S = 10  # a job's slowdown counts as if it had run at least so long (Feitelson's bounded slowdown)


def jain(values: FloatArray) -> float | None:
    """Returns Jain's index, from 1 ÷ n (one has all) to 1 (all have the same); None for no values."""
    squares = float((values**2).sum())
    if not squares:
        return None if not len(values) else 1.0
    return float(values.sum()) ** 2 / (len(values) * squares)


def slowdowns(jobs: FinishedJobs) -> FloatArray:
    """Returns (waiting + running) ÷ running of every job that has ended, where running is at least 10 s; at least 1."""
    execution = jobs.execution / SECOND
    return np.maximum(1.0, jobs.turnaround / SECOND / np.maximum(execution, _SHORTEST_S))


def dominant_shares(pods: PodTable) -> FloatArray:
    """Returns of every namespace the larger of its shares of the CPU time and of the memory time of the cluster."""
    begin, end = pods.busy_span()
    has = {name: sum(node.allocatable.get(name, 0) for node in pods.recorder.nodes) for name in (CPU, MEMORY)}
    numbers = {name: i for i, name in enumerate(sorted(pods.namespace.values))}
    groups = pods.namespace.each(numbers.__getitem__, np.int64)
    bound = pods.scheduled != NEVER
    held = np.where(bound, np.where(pods.finished == NEVER, end, pods.finished) - pods.scheduled, 0).astype(float)
    shares = np.zeros(len(numbers))
    for amount, asked in ((has[CPU], pods.cpu), (has[MEMORY], pods.memory)):
        if amount and end > begin:
            used = np.bincount(groups, held * asked, len(numbers))
            shares = np.maximum(shares, used / amount / (end - begin))
    return shares
