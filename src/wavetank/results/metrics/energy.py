"""Energy over time and in total, of runs whose nodes have a power model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wavetank.cluster.objects.pod import SUCCEEDED
from wavetank.kernel.durations import SECOND
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.metrics.steps import FloatArray, edges_between
from wavetank.results.recording.energy import EnergyRecorder

_KWH = 3_600_000  # joules


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


def energy_figures(recorder: EnergyRecorder | None) -> EnergyFigures | None:
    """Returns the figures of a run; None if no node has a power model."""
    if recorder is None or not recorder.nodes:
        return None
    edges = edges_between(0, recorder.end)
    times = np.array([step[0] for step in recorder.steps], np.int64)
    means = [_means(times, np.array([step[i] for step in recorder.steps], np.float64), edges) for i in (1, 2)]
    joules = np.cumsum(means[0] * np.diff(edges) / SECOND)
    return EnergyFigures(recorder, edges[:-1] / SECOND, means[0], means[1], joules)


def _means(times: np.ndarray[Any, Any], values: FloatArray, edges: np.ndarray[Any, Any]) -> FloatArray:
    """Returns the means of a step function, which is 0 before its first step, between neighbouring edges."""
    times = np.concatenate([[min(0, int(times[0]))], times])
    values = np.concatenate([[0.0], values])
    areas = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(times))])
    place = np.searchsorted(times, edges, "right") - 1
    upto = areas[place] + values[place] * (edges - times[place])
    widths = np.diff(edges).astype(np.float64)
    return np.where(widths > 0, np.diff(upto) / np.where(widths > 0, widths, 1), values[place[1:]])
