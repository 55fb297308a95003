"""Utilization and pending pods over time."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.report.page.packing import pack_floats
from wavetank.results.read.resultsfolder import ResultsFolder

MAX_SERIES = 120  # runs whose utilization is embedded, at about 10 KB each


def embedded_seeds(folder: ResultsFolder) -> list[int | None]:
    """Returns the first seeds, as many as MAX_SERIES allows, and at least one."""
    return all_seeds(folder)[: max(1, MAX_SERIES // max(1, len(folder.experiment.schedulers)))]


def all_seeds(folder: ResultsFolder) -> list[int | None]:
    """Returns the seeds in the order of the summary."""
    return list(dict.fromkeys(run.seed for run in folder.runs))


def series_data(folder: ResultsFolder, seeds: Sequence[int | None]) -> list[dict[str, str]]:
    """Returns for each seed the packed utilization by scheduler."""
    return [
        {run.scheduler: pack_floats(folder.utilization(run)) for run in folder.runs if run.seed == seed}
        for seed in seeds
    ]
