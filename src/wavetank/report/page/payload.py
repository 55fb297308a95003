"""The data that the page's scripts draw: one part for each chart."""

from __future__ import annotations

from typing import Any

from wavetank.report.charts.autoscaling import autoscaling_data, has_autoscalers
from wavetank.report.charts.energy import energy_data, has_energy
from wavetank.report.charts.gantt import gantt_data
from wavetank.report.charts.nodes import has_nodes, node_data
from wavetank.report.charts.queues import has_queues, queue_data
from wavetank.report.charts.series import all_seeds, embedded_seeds, series_data
from wavetank.report.charts.services import has_services, services_data
from wavetank.report.charts.waiting import waiting_data
from wavetank.results.read.resultsfolder import ResultsFolder

DATA_BUDGET = 7_000_000  # characters of packed data


def payload(folder: ResultsFolder, budget: int = DATA_BUDGET) -> dict[str, Any]:
    """Returns the data of the page; the Gantt charts get what the time series leave of `budget`."""
    seeds = embedded_seeds(folder)
    series = series_data(folder, seeds)
    used = sum(len(text) for by_scheduler in series for text in by_scheduler.values())
    gantt = gantt_data(folder, budget - used)  # before the waiting times, which are known once the pods were read
    return {
        "schedulers": folder.scheduler_names(),
        "seeds": seeds,
        "allSeeds": len(all_seeds(folder)),
        "end": max((run["end"] for run in gantt["runs"]), default=0),
        "series": series,
        "waiting": waiting_data(folder),
        "gantt": gantt,
        **({"nodes": node_data(folder, seeds)} if has_nodes(folder) else {}),
        **({"queues": queue_data(folder, seeds)} if has_queues(folder) else {}),
        **({"energy": energy_data(folder, seeds)} if has_energy(folder) else {}),
        **({"services": services_data(folder, seeds)} if has_services(folder) else {}),
        **({"autoscaling": autoscaling_data(folder, seeds)} if has_autoscalers(folder) else {}),
    }
