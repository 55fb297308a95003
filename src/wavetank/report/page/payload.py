"""Everything the page's scripts draw from."""

from __future__ import annotations

from typing import Any

from wavetank.report.charts.gantt import Gantt
from wavetank.report.charts.waiting import waiting_payload
from wavetank.report.page.packing import pack_floats
from wavetank.results.read.resultsfolder import ResultsFolder

DATA_BUDGET = 7_000_000  # characters of packed data
MAX_SERIES = 120  # runs whose utilisation is embedded, at about 10 KB each


def payload(folder: ResultsFolder, budget: int = DATA_BUDGET) -> dict[str, Any]:
    """Returns the data of the page; the Gantt charts get what the time series leave of `budget`."""
    seeds = _embedded_seeds(folder)
    series = [_series(folder, seed) for seed in seeds]
    used = sum(len(text) for by_scheduler in series for text in by_scheduler.values())
    gantt = _gantt(folder, budget - used)  # before the waiting times, which are known once the pods were read
    return {
        "schedulers": folder.scheduler_names(),
        "seeds": seeds,
        "allSeeds": len(_seeds(folder)),
        "series": series,
        "waiting": waiting_payload(folder),
        "gantt": gantt,
    }


def _seeds(folder: ResultsFolder) -> list[int | None]:
    return list(dict.fromkeys(run.seed for run in folder.runs))


def _embedded_seeds(folder: ResultsFolder) -> list[int | None]:
    """Returns the first seeds, as many as MAX_SERIES allows, and at least one."""
    return _seeds(folder)[: max(1, MAX_SERIES // max(1, len(folder.experiment.schedulers)))]


def _series(folder: ResultsFolder, seed: int | None) -> dict[str, str]:
    """Returns the packed utilisation of each scheduler that ran with `seed`."""
    return {run.scheduler: pack_floats(folder.utilization(run)) for run in folder.runs if run.seed == seed}


def _gantt(folder: ResultsFolder, budget: int) -> dict[str, Any]:
    """Returns the Gantt chart of each scheduler's first run."""
    gantt = Gantt(budget)
    for name in folder.scheduler_names():
        for run in folder.runs_of(name)[:1]:
            gantt.add(folder, run)
    return gantt.payload()
