"""A folder of results as the report reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from wavetank.errors import InputError
from wavetank.report.page.columns import Columns, Floats, header_of
from wavetank.report.page.pods import Pods, pods_in, pods_of
from wavetank.results.columns.podtable import PodTable

SUMMARY_VALUES = (
    "pods",
    "scheduled_pods",
    "unscheduled_pods",
    "succeeded_pods",
    "failed_pods",
    "evicted_pods",
    "makespan_s",
    "mean_waiting_time_s",
    "p95_waiting_time_s",
    "max_waiting_time_s",
    "mean_turnaround_s",
    "cpu_utilization",
    "memory_utilization",
    "nodes_used",
)
OPTIONAL_VALUES = (  # of some runs, or of newer results
    "mean_job_latency_s",
    "mean_slowdown",
    "slowdown_fairness",
    "share_fairness",
    "fragmentation",
    "cost",
    "gpu_allocation",
    "gpu_fragmentation",
)
UTILIZATION = ("time_s", "cpu_utilization", "memory_utilization", "pods_pending", "pods_running")


class Scheduler(msgspec.Struct, frozen=True):
    """A scheduler of the experiment as the reader meets it."""

    name: str
    description: str = ""


class Cluster(msgspec.Struct, frozen=True):
    """How large the simulated cluster is in all."""

    nodes: int
    cpu_milli: int
    memory_bytes: int


class Workload(msgspec.Struct, frozen=True):
    """What the cluster was given to do."""

    pods: int
    description: str = ""


class Experiment(msgspec.Struct, frozen=True):
    """What `experiment.json` says about all runs."""

    name: str
    kubernetes_version: str = msgspec.field(name="kubernetesVersion")
    latency: str
    seeds: list[int]
    schedulers: list[Scheduler]
    cluster: Cluster
    workload: Workload
    ties: str = ""
    horizon_s: float | None = None
    warnings: list[str] = []


@dataclass(frozen=True, slots=True)
class Run:
    """One scheduler with one seed: `values` holds its row of `summary.csv`, None where a cell is empty."""

    scheduler: str
    seed: int
    values: dict[str, float | None]


class ResultsFolder:
    """Reads the files of an experiment; a file that is missing or malformed is an InputError naming it.

    Pods of which there is a table in memory are taken from there.
    """

    def __init__(self, path: Path, tables: Mapping[tuple[str, int], PodTable] = {}) -> None:
        self.path = path
        self._tables = tables
        self.experiment = _experiment(path / "experiment.json")
        self.runs = _runs(path / "summary.csv")
        self._waiting: dict[tuple[str, int], Floats] = {}  # of the runs whose pods were read

    def scheduler_names(self) -> list[str]:
        """Returns the schedulers in the order of the experiment."""
        return [scheduler.name for scheduler in self.experiment.schedulers]

    def runs_of(self, scheduler: str) -> list[Run]:
        """Returns the runs of a scheduler in the order of the summary."""
        return [run for run in self.runs if run.scheduler == scheduler]

    def pods(self, run: Run, named: bool = True) -> Pods:
        """Returns every pod of a run; of very many perhaps without what tells one from the other."""
        table = self._tables.get((run.scheduler, run.seed))
        pods = pods_of(table, named) if table else pods_in(self._file(run, "pods.csv"), named)
        self._waiting[run.scheduler, run.seed] = pods.started - pods.submitted
        return pods

    def waiting_times(self, run: Run) -> Floats:
        """Returns the seconds from submission to start of every pod of a run, NaN if it never started."""
        known = self._waiting.get((run.scheduler, run.seed))
        if known is not None:
            return known
        columns = Columns(self._file(run, "pods.csv"), numbers=("submitted", "started"))
        return columns.numbers("started") - columns.numbers("submitted")

    def nodes(self, run: Run) -> tuple[Sequence[str], Floats]:
        """Returns names and CPU capacities (thousandths of a core) of a run's nodes, in the file's order."""
        columns = Columns(self._file(run, "nodes.csv"), ("name",), ("cpu_milli",))
        return columns.texts("name").each(str).tolist(), np.nan_to_num(columns.numbers("cpu_milli"))

    def utilization(self, run: Run) -> list[Floats]:
        """Returns the columns named in UTILIZATION, one value per bucket of time."""
        columns = Columns(self._file(run, "utilization.csv"), numbers=UTILIZATION)
        return [columns.numbers(name) for name in UTILIZATION]

    def _file(self, run: Run, name: str) -> Path:
        return self.path / run.scheduler / f"seed-{run.seed}" / name


def _experiment(path: Path) -> Experiment:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Experiment)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from None
    except msgspec.DecodeError as error:
        raise InputError(str(error), source=str(path)) from None


def _runs(path: Path) -> list[Run]:
    names = (*SUMMARY_VALUES, *(name for name in OPTIONAL_VALUES if name in header_of(path)))
    columns = Columns(path, ("scheduler",), ("seed", *names))
    values = [[_defined(value) for value in columns.numbers(name)] for name in names]
    schedulers = columns.texts("scheduler").each(str)
    return [
        Run(scheduler, int(seed), dict(zip(names, row, strict=True)))
        for scheduler, seed, *row in zip(schedulers, columns.numbers("seed"), *values, strict=True)
    ]


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
