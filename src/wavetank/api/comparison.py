from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wavetank.api.printing import printed
from wavetank.api.results import Results
from wavetank.report.difference import difference_html, difference_view
from wavetank.results.compare.compare import KINDS, Difference, compare_results
from wavetank.results.compare.podrecords import PodRecord
from wavetank.results.read.frames import Cell, Frame, make_table


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
        return printed(difference_view(self.difference))

    def _repr_html_(self) -> str:
        return difference_html(self.difference)


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


def _cells(pod: PodRecord | None) -> Sequence[Cell]:
    if pod is None:
        return (None,) * len(PodRecord._fields)
    return (*(float(text) if text else None for text in pod[:3]), pod.node, pod.phase)
