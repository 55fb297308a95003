from __future__ import annotations

from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.results import layout, schema
from wavetank.results.layout import run_folder
from wavetank.results.read.frames import Frame, read_table


class ResultTables:
    """The tables of an experiment, read from the folder of its results.

    Tables are pandas frames if pandas is installed, else polars frames, else lists of dicts; `frame` asks for one of
    these by name. docs/reference/results.md describes the columns.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / layout.SUMMARY).is_file():
            raise InputError("no results here: expected a folder that `wavetank run` wrote", source=str(folder))
        if (folder / layout.SWEEP).is_file():
            problem = "the results of a sweep: open them with wavetank.open_results, or one of its scenarios, such as"
            scenario = next((each for each in sorted(folder.iterdir()) if (each / layout.EXPERIMENT).is_file()), folder)
            raise InputError(f"{problem} {scenario}", source=str(folder))
        self.folder = folder

    def summary(self, frame: Frame | None = None) -> Any:
        """Returns one row per scheduler and seed."""
        return read_table(self.folder, schema.SUMMARY, frame)

    def pods(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per pod of a run."""
        return self._table(scheduler, seed, schema.PODS, frame)

    def utilization(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns the utilization of the cluster over time."""
        return self._table(scheduler, seed, schema.UTILIZATION, frame)

    def jobs(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per finished job, with Batsim's columns."""
        return self._table(scheduler, seed, schema.JOBS, frame)

    def autoscaling(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns the syncs of the autoscalers of a run; InputError if it has none."""
        return self._table(scheduler, seed, schema.AUTOSCALING, frame)

    def autoscalers(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per autoscaler of a run; InputError if it has none."""
        return self._table(scheduler, seed, schema.AUTOSCALERS, frame)

    def queues(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per ClusterQueue of a run; InputError if it has none."""
        return self._table(scheduler, seed, schema.QUEUES, frame)

    def queue_quotas(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns the use of each quota of the ClusterQueues of a run; InputError if it has none."""
        return self._table(scheduler, seed, schema.QUEUE_QUOTAS, frame)

    def queue_usage(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns what the ClusterQueues of a run held over time; InputError if it has none."""
        return self._table(scheduler, seed, schema.QUEUE_USAGE, frame)

    def workloads(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per Workload of Kueue of a run; InputError if it has no ClusterQueues."""
        return self._table(scheduler, seed, schema.WORKLOADS, frame)

    def node_states(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns when nodes of a run failed, recovered, were cordoned or uncordoned; InputError if none did."""
        return self._table(scheduler, seed, schema.NODE_STATES, frame)

    def capacity(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns capacity, demand and price of a run over time; InputError if it has no node groups and no prices."""
        return self._table(scheduler, seed, schema.CAPACITY, frame)

    def node_timeline(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per machine of a run; InputError if it has no node groups and no prices."""
        return self._table(scheduler, seed, schema.NODE_TIMELINE, frame)

    def node_groups(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per node group of a run; InputError if it has no node groups and no prices."""
        return self._table(scheduler, seed, schema.NODE_GROUPS, frame)

    def namespace_costs(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns what the pods of each namespace cost in a run; InputError if no node has a price."""
        return self._table(scheduler, seed, schema.NAMESPACE_COSTS, frame)

    def _table(self, scheduler: str, seed: int, table: schema.Table, frame: Frame | None) -> Any:
        folder = run_folder(self.folder, scheduler, seed)
        if (folder / layout.PODS).is_file() and not (folder / table.file).is_file():
            raise InputError(f"the run has no {table.file}", source=str(folder))
        if not (folder / table.file).is_file():
            raise InputError(f"there is no run of {scheduler!r} with seed {seed}", source=str(self.folder))
        return read_table(folder, table, frame)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.folder}>"
