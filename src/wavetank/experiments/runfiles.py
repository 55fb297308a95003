from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavetank.results.columns.decimals import NEVER
from wavetank.results.metrics.autoscaling import AutoscalerFigures, autoscaler_figures
from wavetank.results.metrics.jobs import FinishedJobs
from wavetank.results.metrics.machines import NodeFigures, node_figures
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.metrics.queues import QueueReport, queue_report
from wavetank.results.recording.podrow import PodRow
from wavetank.results.recording.recorder import Recorder
from wavetank.results.write.autoscaling import write_autoscaling
from wavetank.results.write.batsim import write_batsim
from wavetank.results.write.nodes import write_nodes
from wavetank.results.write.queues import write_queues
from wavetank.results.write.tables import write_tables
from wavetank.words import plural

if TYPE_CHECKING:
    from wavetank.results.metrics.energy import JobEnergy
    from wavetank.results.recording.energy import EnergyRecorder

_NODE_MISSING = "DeletionByPodGC"  # the reason of pods that were failed since their node does not exist


@dataclass(frozen=True)
class RunFigures:
    """What the files of a run were written from."""

    pods: PodTable
    jobs: FinishedJobs
    autoscalers: Sequence[AutoscalerFigures]
    nodes: NodeFigures | None
    queues: QueueReport | None

    def warnings(self, label: str) -> list[str]:
        """Returns what the user should know about the run, which is called `label`."""
        idle = (warning for each in self.autoscalers for warning in each.warnings())
        queued = self.queues.warnings() if self.queues is not None else ()
        return [
            *self.pods.recorder.features.warnings(),
            *_pending(self.pods, label),
            *(f"{label}: {warning}" for warning in (*idle, *queued)),
        ]


def write_files(
    recorder: Recorder, folder: Path, wavetank_version: str, meter: EnergyRecorder | None = None
) -> RunFigures:
    """Writes the tables that any run has, from what was recorded; `meter` knows the energy of nodes."""
    pods = PodTable(recorder)
    write_tables(pods, folder)
    jobs = FinishedJobs(pods)
    write_batsim(pods, jobs, folder, wavetank_version, None if meter is None else _energy(meter, jobs))
    autoscalers = autoscaler_figures(recorder.autoscalers, recorder.end)
    write_autoscaling(autoscalers, folder)
    queues = queue_report(recorder.queues, recorder.end)
    if queues is not None:
        write_queues(queues, folder)
    nodes = node_figures(pods)
    if nodes is not None:
        write_nodes(nodes, folder)
    return RunFigures(pods, jobs, autoscalers, nodes, queues)


def _energy(meter: EnergyRecorder, jobs: FinishedJobs) -> JobEnergy:
    from wavetank.results.metrics.energy import JobEnergy  # few runs need it

    return JobEnergy(meter, jobs)


def _pending(pods: PodTable, label: str) -> list[str]:
    """Names the pods that never found a node, with the reason of the last attempt."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for i in np.flatnonzero(pods.scheduled == NEVER).tolist():
        row = pods.rows[i]
        if row.finished is None or row.reason == _NODE_MISSING:
            names[row.message or _never_tried(row)].append(row.name)
    counts = Counter({message: len(pods) for message, pods in names.items()})
    return [
        f"{label}: {count} {plural(count, 'pod')} never scheduled ({_some(names[message])}): {message}"
        for message, count in counts.most_common(5)
    ]


def _never_tried(row: PodRow) -> str:
    return "never tried" if row.scheduler else f"no scheduler is called {row.spec.scheduler_name!r}"


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
