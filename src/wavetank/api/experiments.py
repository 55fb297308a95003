from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wavetank.api.arguments import Cluster, Schedulers, Seeds, Workload, experiment_fields
from wavetank.api.results import Results
from wavetank.api.temporary import in_temporary_folder
from wavetank.experiments.document.experiment import load_experiment
from wavetank.experiments.runner import Progress, run_experiment
from wavetank.report.page.html import write_report
from wavetank.version import __version__


def run(
    experiment: str | Path | Mapping[str, Any] | None = None,
    *,
    cluster: Cluster | None = None,
    workload: Workload | None = None,
    schedulers: Schedulers | None = None,
    seeds: Seeds | None = None,
    latency: str | Mapping[str, Any] | None = None,
    kubernetes_version: str | None = None,
    ties: str | None = None,
    faults: Sequence[Mapping[str, Any]] | None = None,
    horizon: float | str | None = None,
    execution: str | Mapping[str, object] | None = None,
    explain: bool = False,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Runs an experiment and returns its results.

    `experiment` is the path of an Experiment document, or the document itself; the other arguments override its
    fields, or define everything without one. A cluster is a file, several files, or `{"nodes": [...]}`; a
    workload is a file or `{"generator": {...}}`; a scheduler is a name, a configuration's file, "module:Class", a
    class, or an entry as in a document. `explain` records every scheduling attempt, for `wavetank.explain`. Without
    `out` the results are in a temporary folder, which is removed with the returned object.

    >>> results = wavetank.run(
    ...     cluster={"nodes": [{"count": 10, "cpu": 4, "memory": "16Gi"}]},
    ...     workload={"generator": {"kind": "poisson", "pods": 500, "rate": 2, "duration": 60, "requests": {"cpu": 1}}},
    ...     schedulers=["default", "most-allocated"],
    ... )  # doctest: +SKIP
    """
    changes = experiment_fields(
        cluster,
        workload,
        schedulers,
        seeds,
        latency=latency,
        kubernetesVersion=kubernetes_version,
        ties=ties,
        faults=None if faults is None else list(faults),
        horizon=horizon,
        execution=execution,
    )
    read = load_experiment(experiment, changes)

    def results_in(folder: Path) -> Results:
        run_experiment(read, folder, __version__, progress, jobs, write_report, "best" if explain else None)
        return Results(folder)

    return in_temporary_folder(results_in) if out is None else results_in(Path(out))
