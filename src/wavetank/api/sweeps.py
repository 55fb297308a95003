from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.api.arguments import Cluster, Schedulers, Seeds, Workload, experiment_fields
from wavetank.api.printing import printed
from wavetank.api.results import Results
from wavetank.api.temporary import in_temporary_folder
from wavetank.errors import InputError
from wavetank.report.page.html import write_report
from wavetank.report.plots.sweep import SweepPlots
from wavetank.report.sweep.costs import cost_table
from wavetank.report.sweep.notebook import sweep_html
from wavetank.report.sweep.page import write_sweep_report
from wavetank.report.sweep.table import sweep_table
from wavetank.results.layout import REPORT
from wavetank.results.read.frames import Frame, read_table
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.schema import COMPARISONS, LATENCIES, SWEEP_SUMMARY
from wavetank.results.verdict.sweep import sweep_verdict
from wavetank.results.verdict.verdict import Verdict
from wavetank.sweeps.document import load_sweep
from wavetank.sweeps.executors import on_this_machine
from wavetank.sweeps.runner import SweepProgress, run_sweep
from wavetank.version import __version__

_MOST_NAMES = 5  # of scenarios in a message


class SweepResults:
    """The results of a sweep: tables of all scenarios, and the results of each.

    Tables are pandas frames if pandas is installed, else polars frames, else lists of dicts; `frame` asks for one of
    these by name. docs/reference/results.md describes the columns.
    """

    def __init__(self, folder: Path) -> None:
        self._facts = SweepFolder(folder).facts
        self.folder = folder

    @property
    def report(self) -> Path:
        """Returns the path of the HTML report."""
        return self.folder / REPORT

    @property
    def scenarios(self) -> list[str]:
        """Returns the names of the scenarios, in the order of the document."""
        return [scenario.name for scenario in self._facts.scenarios]

    def scenario(self, name: str) -> Results:
        """Returns the results of one scenario, like those of an experiment."""
        if name not in self.scenarios:
            known = ", ".join(self.scenarios[:_MOST_NAMES])
            problem = f"there is no scenario called {name!r:.60}: there are {len(self.scenarios)}, such as {known}"
            raise InputError(problem, source=str(self.folder))
        return Results(self.folder / name, self)

    def verdict(self) -> Verdict:
        """Returns what was found, in sentences: `print(sweep.verdict())`."""
        return sweep_verdict(SweepFolder(self.folder))

    def summary(self, frame: Frame | None = None) -> Any:
        """Returns one row per scenario, scheduler and seed."""
        return read_table(self.folder, SWEEP_SUMMARY, frame)

    def comparisons(self, frame: Frame | None = None) -> Any:
        """Returns one row per scenario, metric and pair of schedulers, compared over the seeds that both have."""
        return read_table(self.folder, COMPARISONS, frame)

    def latencies(self, frame: Frame | None = None) -> Any:
        """Returns one row per run: the quantiles of its job latencies."""
        return read_table(self.folder, LATENCIES, frame)

    @property
    def plot(self) -> SweepPlots:
        """Returns pictures of the sweep, drawn by matplotlib: `sweep.plot.comparison()`."""
        return SweepPlots(self.folder)

    def __str__(self) -> str:
        costs = cost_table(self.folder)
        return printed(sweep_table(self.folder), *([] if costs is None else [costs]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.folder}>"

    def _repr_html_(self) -> str:
        return sweep_html(self.folder)


def sweep(
    experiment: str | Path | Mapping[str, Any] | None = None,
    *,
    scenarios: Mapping[str, Any] | None = None,
    cluster: Cluster | None = None,
    workload: Workload | None = None,
    schedulers: Schedulers | None = None,
    seeds: Seeds | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: SweepProgress | None = None,
) -> SweepResults:
    """Runs every scheduler in every scenario with every seed.

    `experiment` is the path of an Experiment document with a `sweep`, or the document itself; the other arguments
    override its fields as those of `run`, `scenarios` its `sweep`. A folder `out` keeps finished runs: the next sweep
    into it makes only those that are missing. Without `out` the results are in a temporary folder, which is removed
    with the returned object.

    >>> sweep = wavetank.sweep(
    ...     cluster={"nodes": [{"count": 10, "cpu": 4, "memory": "16Gi"}]},
    ...     workload="jobs.json",
    ...     schedulers=["default", "most-allocated"],
    ...     scenarios={"clusters": [{"name": "today", "nodes": "+0%"}, {"name": "more", "nodes": "+50%"}]},
    ...     seeds="1-5",
    ... )  # doctest: +SKIP
    """
    read = load_sweep(experiment, experiment_fields(cluster, workload, schedulers, seeds, sweep=scenarios))
    executor = on_this_machine(jobs or len(os.sched_getaffinity(0)))

    def results_in(folder: Path) -> SweepResults:
        run_sweep(read, folder, __version__, executor, progress, write_report, write_sweep_report)
        return SweepResults(folder)

    return in_temporary_folder(results_in) if out is None else results_in(Path(out))
