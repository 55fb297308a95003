from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wavetank.errors import InputError
from wavetank.report.plots.figure import axes_for, legend, tidy, time_unit
from wavetank.report.plots.intervals import draw_interval
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.schema import JOB_LATENCY, SWEEP_SUMMARY, Column
from wavetank.results.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_HEIGHT = 0.16  # inches of a scheduler in a scenario


class SweepPlots:
    """Pictures of a sweep; each method draws on `ax` if it is given, otherwise on a new figure."""

    def __init__(self, path: Path) -> None:
        self._folder = SweepFolder(path)

    def comparison(self, metric: str = JOB_LATENCY, ax: Axes | None = None) -> Axes:
        """Draws means and 95 % confidence intervals over the seeds, by scenario and scheduler.

        `metric` is a column of the summary. Runs without a value are left out.
        """
        column = self._column(metric)
        schedulers, scenarios = self._folder.schedulers, [each.name for each in self._folder.facts.scenarios]
        values = self._values(metric)
        unit, factor = _unit(column, [value for each in values.values() for value in each])
        ax = axes_for(ax, 8, 1.2 + len(scenarios) * (0.12 + _ROW_HEIGHT * len(schedulers)))
        named: set[str] = set()
        for (scenario, scheduler), each in values.items():
            index = schedulers.index(scheduler)
            y = scenarios.index(scenario) + ((index + 0.5) / len(schedulers) - 0.5) * 0.8
            interval = mean_interval([value * factor for value in each])
            draw_interval(ax, interval, y, index, "" if scheduler in named else scheduler)
            named.add(scheduler)
        ax.set_yticks(range(len(scenarios)), scenarios, fontsize=9)
        ax.margins(x=0.08)
        ax.set_ylim(len(scenarios) - 0.5, -0.5)
        label = column.label or column.name
        tidy(ax, f"{label} [{unit}]" if unit else label, grid="x")
        legend(ax, schedulers)
        return ax

    def _column(self, metric: str) -> Column:
        found = next((each for each in SWEEP_SUMMARY.columns[3:] if each.name == metric), None)
        if found is None or not any(row.get(metric) is not None for row in self._folder.rows):
            raise InputError(f"there is no metric {metric!r:.60} in these results", path="metric")
        return found

    def _values(self, metric: str) -> dict[tuple[str, str], list[float]]:
        values: dict[tuple[str, str], list[float]] = {}
        for row in self._folder.rows:
            if row.get(metric) is not None:
                values.setdefault((row["scenario"], row["scheduler"]), []).append(row[metric])
        return values


def _unit(column: Column, values: list[float]) -> tuple[str, float]:
    if column.kind == "share":
        return "%", 100
    if column.kind != "time":
        return "", 1
    unit, seconds = time_unit(max(values))
    return unit, 1 / seconds
