from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from wavetank.results import layout
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import Floats, seconds_of
from wavetank.results.columns.podcolumns import PodColumns
from wavetank.results.facts import ExperimentFacts, read_facts
from wavetank.results.read.columns import Columns
from wavetank.results.read.pods import ReadPods
from wavetank.results.read.runfolder import RunFolder, read_runs
from wavetank.results.schema import NODES, PODS, UTILIZATION

SERIES = ("time_s", "cpu_utilization", "memory_utilization", "pods_pending", "pods_running")

_KEPT = 400_000  # pods that are kept in memory after they were read

PodTables = Mapping[str, PodColumns]  # of runs just made, by their labels


class ResultsFolder:
    """The results of an experiment, by columns; a file that is missing or malformed is an InputError naming it.

    Pods of runs that have a table in memory are taken from there.
    """

    def __init__(self, path: Path, tables: PodTables | None = None) -> None:
        self.path = path
        self._tables = tables or {}
        self.experiment = read_facts(path / layout.EXPERIMENT, ExperimentFacts)
        self.runs = read_runs(path)
        self._read: dict[Path, ReadPods] = {}  # what was read of some runs: sections of a report ask for the same
        self._waiting: dict[Path, Floats] = {}  # of the runs whose pods were read

    def scheduler_names(self) -> list[str]:
        """Returns the schedulers in the order of the experiment."""
        return [scheduler.name for scheduler in self.experiment.schedulers]

    def runs_of(self, scheduler: str) -> list[RunFolder]:
        """Returns the runs of a scheduler in the order of the summary."""
        return [run for run in self.runs if run.scheduler == scheduler]

    def pods(self, run: RunFolder, named: bool = True) -> PodColumns:
        """Returns the pods of a run; see ReadPods for `named`."""
        pods = self._tables.get(run.label) or self._read.get(run.path) or ReadPods(run.path, named)
        if named and isinstance(pods, ReadPods):
            kept = sum(len(each.names) for path, each in self._read.items() if path != run.path)
            self._read |= {run.path: pods} if kept + len(pods.names) <= _KEPT else {}
        self._waiting[run.path] = seconds_of(pods.started) - seconds_of(pods.submitted)
        return pods

    def waiting_times(self, run: RunFolder) -> Floats:
        """Returns the seconds from submission to start of every pod of a run, NaN if it never started."""
        known = self._waiting.get(run.path)
        if known is not None:
            return known
        columns = Columns(run.path, PODS, ("submitted", "started"))
        return columns.numbers("started") - columns.numbers("submitted")

    def named_waits(self, run: RunFolder) -> tuple[Sequence[str], Coded[str], Floats]:
        """Returns the name, the namespace and the waiting time (see `waiting_times`) of every pod of a run."""
        table = self._tables.get(run.label)
        if table is not None:
            return table.names, table.namespace, seconds_of(table.started) - seconds_of(table.submitted)
        columns = Columns(run.path, PODS, ("namespace", "name", "submitted", "started"))
        names = columns.texts("name").each(str).tolist()
        return names, columns.texts("namespace"), columns.numbers("started") - columns.numbers("submitted")

    def nodes(self, run: RunFolder) -> tuple[Sequence[str], Floats, Floats]:
        """Returns names, CPU (milli-CPU) and memory (bytes) of a run's nodes, in the file's order."""
        columns = Columns(run.path, NODES, ("name", "cpu_milli", "memory_bytes"))
        names = columns.texts("name").each(str).tolist()
        return names, np.nan_to_num(columns.numbers("cpu_milli")), np.nan_to_num(columns.numbers("memory_bytes"))

    def utilization(self, run: RunFolder) -> list[Floats]:
        """Returns the columns named in SERIES, one value per interval of time."""
        columns = Columns(run.path, UTILIZATION, SERIES)
        return [columns.numbers(name) for name in SERIES]
