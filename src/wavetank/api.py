"""The Python API: run an experiment, read its results, compare them; ask what a change would do to a cluster."""

from __future__ import annotations

import io
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType

from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment, load_experiment
from wavetank.experiments.document.schedulers import entry_of
from wavetank.experiments.runner import Progress, run_experiment
from wavetank.report.difference import difference_html, difference_view
from wavetank.report.notebook import notebook_html
from wavetank.report.page.html import write_report
from wavetank.report.table import summary_table
from wavetank.results.compare.compare import KINDS, Difference, compare_results
from wavetank.results.compare.podrecords import PodRecord
from wavetank.results.layout import REPORT
from wavetank.results.read.frames import Cell, Frame, make_table
from wavetank.results.read.tables import ResultTables
from wavetank.version import __version__

if TYPE_CHECKING:
    from wavetank.planning.capacity.answer import CapacityReport
    from wavetank.planning.whatif.answer import Answer

_SchedulerLike = str | Path | type | Mapping[str, Any]


class Results(ResultTables):
    """The results of an experiment: tables, a report, and a comparison that a notebook displays."""

    @property
    def report(self) -> Path:
        """Returns the path of the HTML report."""
        return self.folder / REPORT

    def __str__(self) -> str:
        return _printed(summary_table(self.folder))

    def _repr_html_(self) -> str:
        return notebook_html(self.folder)


class ComparedResults:
    """Differences between two results as tables, of the same kinds as those of `Results`.

    Printed, or displayed by a notebook, it is an overview.
    """

    def __init__(self, difference: Difference) -> None:
        self.difference = difference

    @property
    def differs(self) -> bool:
        """Whether anything differs."""
        return self.difference.differs

    def metrics(self, frame: Frame | None = None) -> Any:
        """Returns one row per pair of runs and metric, in the units of `Results.summary`."""
        rows = [
            (run.a.label, run.b.label, name, pair.a, pair.b, pair.difference)
            for run in self.difference.runs
            for name, pair in run.metrics.items()
        ]
        return make_table(("run_a", "run_b", "metric", "a", "b", "difference"), rows, frame)

    def counts(self, frame: Frame | None = None) -> Any:
        """Returns one row per pair of runs: how many pods differ in each way, and in none."""
        rows: list[list[Cell]] = [
            [run.a.label, run.b.label, *(run.counts[kind] for kind in KINDS), run.same] for run in self.difference.runs
        ]
        return make_table(("run_a", "run_b", *KINDS, "same"), rows, frame)

    def pods(self, frame: Frame | None = None) -> Any:
        """Returns one row per pod that differs; times in seconds, missing if the pod is in one run only."""
        columns = [f"{field}_{side}" for side in ("a", "b") for field in PodRecord._fields]
        rows = [
            (run.a.label, run.b.label, pod.pod, *_cells(pod.a), *_cells(pod.b))
            for run in self.difference.runs
            for pod in run.pods
        ]
        return make_table(("run_a", "run_b", "pod", *columns), rows, frame)

    def __str__(self) -> str:
        return _printed(difference_view(self.difference))

    def _repr_html_(self) -> str:
        return difference_html(self.difference)


def run(
    experiment: str | Path | Mapping[str, Any] | None = None,
    *,
    cluster: str | Path | Sequence[str | Path] | Mapping[str, Any] | None = None,
    workload: str | Path | Mapping[str, Any] | None = None,
    schedulers: Sequence[_SchedulerLike] | _SchedulerLike | None = None,
    seeds: int | str | Sequence[int] | None = None,
    latency: str | Mapping[str, Any] | None = None,
    kubernetes_version: str | None = None,
    ties: str | None = None,
    faults: Sequence[Mapping[str, Any]] | None = None,
    horizon: float | str | None = None,
    execution: str | Mapping[str, object] | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Runs an experiment and returns its results.

    `experiment` is the path of an Experiment document, or the document itself; the other arguments override its
    fields, or define everything without one. A cluster is a file, several files, or `{"nodes": [...]}`; a
    workload is a file or `{"generator": {...}}`; a scheduler is a name, a configuration's file, "module:Class", a
    class, or an entry as in a document. Without `out` the results are in a temporary folder, which is removed with the
    returned object.

    >>> results = wavetank.run(
    ...     cluster={"nodes": [{"count": 10, "cpu": 4, "memory": "16Gi"}]},
    ...     workload={"generator": {"kind": "poisson", "pods": 500, "rate": 2, "duration": 60, "requests": {"cpu": 1}}},
    ...     schedulers=["default", "most-allocated"],
    ... )  # doctest: +SKIP
    """
    changes = {
        "cluster": _cluster(cluster),
        "workload": {"file": str(Path(workload).resolve())} if isinstance(workload, str | Path) else workload,
        "schedulers": _schedulers(schedulers),
        "seeds": seeds if seeds is None or isinstance(seeds, int | str) else list(seeds),
        "latency": latency,
        "kubernetesVersion": kubernetes_version,
        "ties": ties,
        "faults": None if faults is None else list(faults),
        "horizon": horizon,
        "execution": execution,
    }
    read = load_experiment(experiment, {key: value for key, value in changes.items() if value is not None})
    if out is not None:
        run_experiment(read, Path(out), __version__, progress, jobs, write_report)
        return Results(Path(out))
    return _run_for_now(read, progress, jobs)


def open_results(folder: str | Path) -> Results:
    """Opens the results of an earlier run in a folder."""
    return Results(Path(folder))


def compare(
    a: str | Path | Results,
    b: str | Path | Results,
    *,
    scheduler_a: str | None = None,
    scheduler_b: str | None = None,
) -> ComparedResults:
    """Compares two results: their metrics, and the nodes and times of their pods.

    Each is a `Results`, its folder, or the folder of one run in it. Runs of the same scheduler and seed are compared;
    `scheduler_a` and `scheduler_b` compare two schedulers, also of the same results.
    """
    folders = [given.folder if isinstance(given, Results) else Path(given) for given in (a, b)]
    return ComparedResults(compare_results(*folders, scheduler_a=scheduler_a, scheduler_b=scheduler_b))


class WhatIf:
    """The answer to `whatif`: figures, data and a page. Printed, it is what the command prints."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    @property
    def figures(self) -> dict[str, float | None]:
        """Returns the figures of the answer: pending, moved, evicted, lost and others."""
        return self.answer.figures()

    @property
    def data(self) -> dict[str, Any]:
        """Returns the whole answer, as `wavetank whatif --json` prints it."""
        return self.answer.data()

    def write_page(self, path: str | Path) -> Path:
        """Writes the answer as an HTML page and returns its path."""
        from wavetank.report.planning.whatifpage import write_whatif_page

        return write_whatif_page(self.answer, Path(path))

    def __str__(self) -> str:
        from wavetank.report.planning.whatifview import answer_view

        return "\n".join(_printed(part) for part in answer_view(self.answer))


def whatif(
    snapshot: str | Path | Sequence[str | Path],
    changes: Sequence[str | Mapping[str, Any]] = (),
    *,
    scheduler: _SchedulerLike = "default",
    latency: str | Mapping[str, Any] = "k3s",
    kubernetes_version: str | None = None,
    seed: int = 1,
    out: str | Path | None = None,
) -> WhatIf:
    """Says what changes would do to a cluster, made one after the other.

    `snapshot` is a file of `wavetank snapshot` or of `kubectl get -A -o yaml`, or several. A change is a mapping such
    as `{"drain": "node-7"}`, `{"add": "3xnode-1"}`, `{"fail": "zone=a"}`, `{"scale": "deploy/web=20"}` or
    `{"upgrade": "surge=1"}`, or "reschedule". `out` is a file for a snapshot of the cluster after the changes.

    >>> wavetank.whatif("prod.yaml.gz", [{"drain": "node-7"}]).figures["pending"]  # doctest: +SKIP
    0
    """
    from wavetank.planning.options import read_options
    from wavetank.planning.whatif.question import Question
    from wavetank.planning.whatif.reading import read_changes
    from wavetank.snapshots.snapshot import open_snapshot

    options = read_options(scheduler, latency, kubernetes_version, seed)
    target = None if out is None else Path(out)
    return WhatIf(Question(open_snapshot(_paths(snapshot)), read_changes(changes, Path()), options, target).ask())


class Capacity:
    """The answer to `capacity`: nodes, data and a page. Printed, it is what the command prints."""

    def __init__(self, report: CapacityReport) -> None:
        self.report = report

    @property
    def nodes(self) -> dict[str, int | None]:
        """Returns the number of nodes by scheduler, None if no number is enough."""
        return {each.scheduler: each.nodes if each.fits else None for each in self.report.answers}

    @property
    def data(self) -> dict[str, Any]:
        """Returns the whole answer, as `wavetank capacity --json` prints it."""
        return self.report.data()

    def write_page(self, path: str | Path) -> Path:
        """Writes the answer as an HTML page and returns its path."""
        from wavetank.report.planning.capacitypage import write_capacity_page

        return write_capacity_page(self.report, Path(path))

    def __str__(self) -> str:
        from wavetank.report.planning.capacityview import capacity_view

        return "\n".join(map(str, capacity_view(self.report)))


def capacity(
    snapshot: str | Path | Sequence[str | Path] | None = None,
    *,
    workload: str | Path | None = None,
    nodes: str | Sequence[str] = (),
    zones: Sequence[str] = (),
    failures: int = 0,
    zone_failure: bool = False,
    goal: str = "",
    schedulers: Sequence[_SchedulerLike] | _SchedulerLike = "default",
    kubernetes_version: str | None = None,
) -> Capacity:
    """Says how many nodes the pods of a snapshot need, or a workload that has to reach a goal.

    `nodes` are types of nodes: names of nodes of the snapshot, files with a Node, or `cpu=8,memory=32Gi,price=0.4`; by
    default those of the snapshot. `failures` and `zone_failure` are headroom. The answer is found by trying.

    >>> wavetank.capacity("prod.yaml.gz", nodes="cpu=8,memory=32Gi", failures=1).nodes  # doctest: +SKIP
    {'default': 12}
    """
    from wavetank.planning.capacity.headroom import Headroom
    from wavetank.planning.capacity.question import CapacityQuestion
    from wavetank.planning.options import read_options
    from wavetank.snapshots.snapshot import open_snapshot

    given = schedulers if isinstance(schedulers, Sequence) and not isinstance(schedulers, str) else [schedulers]
    question = CapacityQuestion(
        [read_options(scheduler, "ideal", kubernetes_version) for scheduler in given],
        None if snapshot is None else open_snapshot(_paths(snapshot)),
        None if workload is None else Path(workload),
        [nodes] if isinstance(nodes, str) else nodes,
        zones,
        Headroom(failures, zone_failure),
        goal,
    )
    return Capacity(question.ask())


def _paths(given: str | Path | Sequence[str | Path]) -> list[Path]:
    return [Path(given)] if isinstance(given, str | Path) else [Path(path) for path in given]


def _run_for_now(experiment: Experiment, progress: Progress | None, jobs: int | None) -> Results:
    """Keeps the results in a temporary folder as long as the returned object lives."""
    temporary = mkdtemp(prefix="wavetank-")
    try:
        folder = Path(temporary) / "results"
        run_experiment(experiment, folder, __version__, progress, jobs, write_report)
        results = Results(folder)
    except BaseException:
        rmtree(temporary, ignore_errors=True)
        raise
    weakref.finalize(results, rmtree, temporary, ignore_errors=True)
    return results


def _cluster(value: object) -> object:
    if value is None or isinstance(value, Mapping):
        return value
    given = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    paths = [Path(path) for path in given if isinstance(path, str | Path)]
    if len(paths) < len(given):
        raise InputError(f"expected files, or a mapping such as {{'nodes': […]}}, got {value!r:.60}", path="cluster")
    return {"files": [str(path.resolve()) for path in paths]}


def _schedulers(value: Sequence[_SchedulerLike] | _SchedulerLike | None) -> list[object] | None:
    if value is None:
        return None
    given = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    return [item if isinstance(item, Mapping) else entry_of(item) for item in given]


def _cells(pod: PodRecord | None) -> Sequence[Cell]:
    if pod is None:
        return (None,) * len(PodRecord._fields)
    return (*(float(text) if text else None for text in pod[:3]), pod.node, pod.phase)


def _printed(view: RenderableType) -> str:
    console = Console(file=io.StringIO())
    with console.capture() as printed:
        console.print(view)
    return printed.get().rstrip("\n")
