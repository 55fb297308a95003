"""Energy over time and in total, of runs whose nodes have a power model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from wavetank.cluster.objects.pod import SUCCEEDED
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.metrics.jobs import FinishedJobs
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.metrics.steps import Change, FloatArray, Steps, edges_between
from wavetank.results.recording.energy import EnergyRecorder

_KWH = 3_600_000  # joules
_MICRO = 1_000_000  # of watts, so that sums are exact


@dataclass(frozen=True, slots=True)
class EnergyFigures:
    """Means over equal stretches of time that begin at `time_s`, and the joules up to the end of each."""

    recorder: EnergyRecorder
    time_s: FloatArray
    watts: FloatArray
    nodes_on: FloatArray
    joules: FloatArray

    def metrics(self, pods: PodTable) -> dict[str, Any]:
        """Returns what the summary says of energy."""
        joules = sum(node.joules for node in self.recorder.nodes.values())
        succeeded = pods.phase.count(SUCCEEDED)
        span = self.recorder.end / SECOND
        return {
            "energy_kwh": joules / _KWH,
            "mean_power_w": joules / span if span else 0.0,
            "energy_per_finished_pod_j": joules / succeeded if succeeded else None,
        }


class JobEnergy:
    """What the nodes of jobs consumed, as Batsim counts it: idle power included, and that of other jobs beside them."""

    def __init__(self, recorder: EnergyRecorder, jobs: FinishedJobs) -> None:
        self._histories = {name: np.array(node.history, np.float64).T for name, node in recorder.nodes.items()}
        times = zip(jobs.started.tolist(), jobs.finished.tolist(), jobs.nodes(), strict=True)
        self.joules = [self._between(start, end, nodes) for start, end, nodes in times]
        ends, begins = jobs.finished, jobs.submitted
        span = (int(begins.min()), int(ends.max())) if len(ends) else (0, 0)
        self.total = self._between(*span, self._histories)

    def _between(self, start: Nanoseconds, end: Nanoseconds, nodes: Iterable[str]) -> float:
        histories = [self._histories[node] for node in nodes if node in self._histories]
        return fsum(float(np.diff(np.interp((start, end), *history))[0]) for history in histories)


def energy_figures(recorder: EnergyRecorder) -> EnergyFigures:
    """Returns the figures of a run with at least one node that has a power model."""
    edges = edges_between(0, recorder.end)
    times, watts, on = (np.array(column) for column in zip(*recorder.changes, strict=True))
    steps = Steps([Change(times, watts=np.rint(watts * _MICRO).astype(np.int64), on=on)])
    (power,), (nodes,) = steps.means("watts", edges), steps.means("on", edges)
    power = power / _MICRO
    return EnergyFigures(recorder, edges[:-1] / SECOND, power, nodes, np.cumsum(power * np.diff(edges) / SECOND))
