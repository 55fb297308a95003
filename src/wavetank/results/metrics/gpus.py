"""Metrics of runs that share GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wavetank.cluster.objects.gpus import GPU, WHOLE
from wavetank.cluster.objects.pod import Pod
from wavetank.results.columns.decimals import NEVER
from wavetank.results.metrics.podtable import PodTable

if TYPE_CHECKING:
    from wavetank.results.recording.gpuuse import GpuUse


class GpuFigures(NamedTuple):
    """GPU metrics of a run, in percent of all GPUs; None if they do not apply."""

    allocation: float | None = None
    fragmentation: float | None = None


def gpu_figures(gpus: GpuUse, pods: PodTable, known: Iterable[Pod]) -> GpuFigures:
    """Returns the figures of a finished run.

    The allocation is the mean over the makespan, as for CPU. If no pod has ended it is that at the end of the run,
    and there is fragmentation as well: GPUs that are free then, but of no use to pods like the `known` ones.
    """
    capacity = WHOLE * sum(node.allocatable.get(GPU, 0) for node in pods.recorder.nodes)
    if not capacity:
        return GpuFigures()
    wanted = np.array([gpus.wanted((row.namespace, row.name)) for row in pods.rows], np.float64)
    ended = pods.finished != NEVER
    if not ended.any():
        held = float(wanted[pods.scheduled != NEVER].sum())
        return GpuFigures(100 * held / capacity, 100 * gpus.fragmentation(known) / capacity)
    begin, last = pods.busy_span()
    until = np.where(ended, pods.finished, last)
    times = np.where(pods.scheduled == NEVER, 0, np.minimum(until, last) - pods.scheduled)
    return GpuFigures(100 * float(wanted @ times) / capacity / max(last - begin, 1))
