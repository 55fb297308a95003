"""wavetank from Python: run an experiment, look at its results."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.experiments.document import API_VERSION, KIND, Experiment, parse_experiment, read_experiment
from wavetank.experiments.entries import entry_of
from wavetank.experiments.results import Results
from wavetank.experiments.runner import Progress, run_experiment
from wavetank.report.html import write_report
from wavetank.version import __version__


def run(
    experiment: str | Path | Mapping[str, Any] | None = None,
    *,
    cluster: str | Path | Sequence[str | Path] | Mapping[str, Any] | None = None,
    workload: str | Path | Mapping[str, Any] | None = None,
    schedulers: Sequence[str | type | Mapping[str, Any]] | str | type | None = None,
    seeds: int | str | Sequence[int] | None = None,
    latency: str | Mapping[str, Any] | None = None,
    kubernetes_version: str | None = None,
    ties: str | None = None,
    faults: Sequence[Mapping[str, Any]] | None = None,
    horizon: float | str | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Runs an experiment and returns its results.

    `experiment` is the path of an Experiment document, or the document itself; the other arguments replace what it
    says, or say everything where there is none. A cluster is a file, several files, or `{"nodes": [...]}`; a
    workload is a file or `{"generator": {...}}`; a scheduler is a name, a configuration's file, "module:Class", a
    class, or an entry as in a document. Without `out` the results live in a temporary folder, as long as the
    returned object does.

    >>> results = wavetank.run(
    ...     cluster={"nodes": [{"count": 10, "cpu": 4, "memory": "16Gi"}]},
    ...     workload={"generator": {"kind": "poisson", "pods": 500, "rate": 2, "duration": 60, "requests": {"cpu": 1}}},
    ...     schedulers=["default", "most-allocated"],
    ... )  # doctest: +SKIP
    """
    changes = {
        "cluster": _cluster(cluster),
        "workload": _workload(workload),
        "schedulers": _schedulers(schedulers),
        "seeds": list(seeds) if isinstance(seeds, Sequence) and not isinstance(seeds, str) else seeds,
        "latency": latency,
        "kubernetesVersion": kubernetes_version,
        "ties": ties,
        "faults": None if faults is None else list(faults),
        "horizon": horizon,
    }
    read = load_experiment(experiment, {key: value for key, value in changes.items() if value is not None})
    temporary = tempfile.TemporaryDirectory(prefix="wavetank-") if out is None else None
    folder = Path(temporary.name) / "results" if temporary else Path(str(out))
    run_experiment(read, folder, __version__, progress, jobs)
    write_report(folder)
    return Results(folder, temporary)


def load_experiment(experiment: str | Path | Mapping[str, Any] | None, changes: Mapping[str, Any]) -> Experiment:
    """Reads an experiment with some fields of its spec replaced."""
    if isinstance(experiment, str | Path):
        return read_experiment(Path(experiment), changes)
    document = dict(experiment or {"apiVersion": API_VERSION, "kind": KIND})
    spec = document.get("spec", {})
    if not isinstance(spec, Mapping):
        raise InputError(f"expected a mapping, got {spec!r:.60}", path="spec")
    return parse_experiment({**document, "spec": {**spec, **changes}}, Path.cwd())


def _cluster(value: object) -> object:
    if value is None or isinstance(value, Mapping):
        return value
    paths = [value] if isinstance(value, str | Path) else value
    assert isinstance(paths, Sequence)
    return {"files": [str(Path(str(path)).resolve()) for path in paths]}


def _workload(value: object) -> object:
    return {"file": str(Path(str(value)).resolve())} if isinstance(value, str | Path) else value


def _schedulers(value: Sequence[str | type | Mapping[str, Any]] | str | type | None) -> list[object] | None:
    if value is None:
        return None
    given = [value] if isinstance(value, str | type) else value
    return [item if isinstance(item, Mapping) else entry_of(item) for item in given]


def open_results(folder: str | Path) -> Results:
    """Reads the results that an earlier run left in a folder."""
    return Results(Path(folder))
