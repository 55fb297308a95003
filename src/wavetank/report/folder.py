"""A folder of results as the report reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from wavetank.errors import InputError
from wavetank.report.columns import Columns, Floats, header_of

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
OF_NAMED_PODS = ("namespace", "name", "job", "phase", "reason", "requests")
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


@dataclass(frozen=True, slots=True)
class Pods:
    """The pods of a run, column by column; times in seconds, NaN for what never happened.

    `texts` holds the columns OF_NAMED_PODS, if the pods are wanted one by one.
    """

    texts: dict[str, Sequence[str]]
    node: Sequence[str]
    submitted: Floats
    scheduled: Floats
    started: Floats
    finished: Floats
    cpu_milli: Floats


class ResultsFolder:
    """Reads the files of an experiment; a file that is missing or malformed is an InputError naming it."""

    def __init__(self, path: Path) -> None:
        self.path = path
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
        texts = OF_NAMED_PODS if named else ()
        numbers = ("submitted", "scheduled", "started", "finished", "cpu_milli")
        columns = Columns(self._file(run, "pods.csv"), ("node", *texts), numbers)
        pods = Pods(
            {name: columns.texts(name) for name in texts}, columns.texts("node"), *map(columns.numbers, numbers)
        )
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
        return columns.texts("name"), np.nan_to_num(columns.numbers("cpu_milli"))

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
    return [
        Run(scheduler, int(seed), dict(zip(names, row, strict=True)))
        for scheduler, seed, *row in zip(columns.texts("scheduler"), columns.numbers("seed"), *values, strict=True)
    ]


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
