from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wavetank.errors import InputError
from wavetank.results import layout
from wavetank.results.layout import results_of, run_folder, run_of
from wavetank.results.read.columns import Columns, header_of
from wavetank.results.schema import METRIC_NAMES, SUMMARY


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run; `metrics` is its row of summary.csv, None for an empty cell.

    There are no metrics if there is no such file.
    """

    path: Path
    scheduler: str
    seed: int | None
    metrics: Mapping[str, float | None]

    @property
    def label(self) -> str:
        """Returns the name of the run inside its results: default/seed-1."""
        return f"{self.scheduler}/{self.path.name}"


def holds_runs(path: Path) -> bool:
    """Tells whether a folder is one of results, or of a run."""
    return (path / layout.PODS).is_file() or (path / layout.SUMMARY).is_file()


def runs_in(path: Path) -> list[RunFolder]:
    """Returns the runs in a folder of results, or the one whose folder it is."""
    if (path / layout.PODS).is_file():
        return [_single(path.resolve())]
    if (path / layout.SUMMARY).is_file():
        return read_runs(path)
    problem = "no results here: expected a folder that `wavetank run` wrote, or the folder of a run in it"
    raise InputError(problem, source=str(path))


def read_runs(results: Path) -> list[RunFolder]:
    """Reads the runs of summary.csv, in its order; a file that is missing or malformed is an InputError."""
    header = header_of(results / SUMMARY.file)
    names = [name for name in METRIC_NAMES if name in header]
    columns = Columns(results, SUMMARY, ("scheduler", "seed", *names))
    rows = zip(*(columns.numbers(name).tolist() for name in names), strict=True) if names else ()
    schedulers, seeds = columns.texts("scheduler").each(str).tolist(), _seeds(columns, results / SUMMARY.file)
    metrics = [dict(zip(names, map(_defined, row), strict=True)) for row in rows] or [{} for _ in seeds]
    return [
        RunFolder(run_folder(results, scheduler, seed), scheduler, seed, values)
        for scheduler, seed, values in zip(schedulers, seeds, metrics, strict=True)
    ]


def _single(path: Path) -> RunFolder:
    results = results_of(path)
    if (results / layout.SUMMARY).is_file():
        for run in read_runs(results):
            if run.path == path:
                return run
    return RunFolder(path, *run_of(path), {})


def _seeds(columns: Columns, path: Path) -> list[int]:
    seeds = columns.numbers("seed").tolist()
    for row, seed in enumerate(seeds, 2):
        if not seed.is_integer():
            raise InputError("expected a whole number", path=f"row {row}: seed", source=str(path))
    return [int(seed) for seed in seeds]


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value
