"""Energy over time and in total, of runs whose nodes have a power model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wavetank.cluster.objects.pod import SUCCEEDED
from wavetank.kernel.durations import SECOND
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


def energy_figures(recorder: EnergyRecorder) -> EnergyFigures:
    """Returns the figures of a run with at least one node that has a power model."""
    edges = edges_between(0, recorder.end)
    times, watts, on = (np.array(column) for column in zip(*recorder.changes, strict=True))
    steps = Steps([Change(times, watts=np.rint(watts * _MICRO).astype(np.int64), on=on)])
    (power,), (nodes,) = steps.means("watts", edges), steps.means("on", edges)
    power = power / _MICRO
    return EnergyFigures(recorder, edges[:-1] / SECOND, power, nodes, np.cumsum(power * np.diff(edges) / SECOND))
