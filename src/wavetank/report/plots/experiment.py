from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Literal

import numpy as np

from wavetank.errors import InputError
from wavetank.report.comparison import BETTER, heading
from wavetank.report.page.facts import seeds_text
from wavetank.report.plots.figure import axes_for, legend, line_style, longest, new_figure, tidy, time_unit
from wavetank.report.plots.gantt import draw_gantt
from wavetank.report.plots.intervals import draw_interval
from wavetank.results.columns.decimals import Floats
from wavetank.results.read.resultsfolder import SERIES, ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.verdict.comparison import Comparison, compare

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW_HEIGHT = 0.24  # inches of a scheduler
_COLUMNS = 3  # metrics side by side
_TITLE_WIDTH = 26  # characters


class ExperimentPlots:
    """Pictures of an experiment's results.

    Each method draws on `ax` if it is given, otherwise on a new figure, and returns the axes. Without `seed` it is the
    first seed, without `schedulers` all of them. InputError if matplotlib is not installed. `owner` is kept as long as
    this object, because a temporary folder is removed with its owner.
    """

    def __init__(self, path: Path, owner: object = None) -> None:
        self._folder = ResultsFolder(path)
        self._owner = owner

    def queue_length(
        self, *, seed: int | None = None, schedulers: Sequence[str] | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draws the number of pending pods over time."""
        ax = axes_for(ax)
        self._draw_series(ax, "pods_pending", "Pending pods", seed, schedulers)
        return ax

    def utilization(
        self,
        resource: Literal["cpu", "memory"] = "cpu",
        *,
        seed: int | None = None,
        schedulers: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draws the requested share of the cluster's CPU or memory over time, in percent."""
        if resource not in ("cpu", "memory"):
            raise InputError(f"expected cpu or memory, got {resource!r:.60}", path="resource")
        ax = axes_for(ax)
        name = "CPU" if resource == "cpu" else "Memory"
        self._draw_series(ax, f"{resource}_utilization", f"{name} requested [%]", seed, schedulers, 100)
        ax.set_ylim(0, max(100.0, ax.get_ylim()[1]))
        return ax

    def waits(
        self, *, seed: int | None = None, schedulers: Sequence[str] | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draws the share of pods that waited longer than a time, from submission to start.

        Without `seed` it is over all seeds. Pods that never started count as waiting forever.
        """
        ax = axes_for(ax)
        waits = {
            name: np.concatenate([self._folder.waiting_times(run) for run in self._runs(name, seed)])
            for name in self._schedulers(schedulers)
        }
        started = {name: np.sort(each[~np.isnan(each)]) for name, each in waits.items()}
        unit, seconds = time_unit(longest(list(started.values())))
        for name, times in started.items():
            share = 100 - np.arange(len(times) + 1) / max(1, len(waits[name])) * 100
            steps = np.concatenate([[0.0], times / seconds])
            waited = np.concatenate([steps[1:] > 0, [True]])  # the line begins with those that waited at all
            ax.plot(steps[waited], share[waited], drawstyle="steps-post", label=name, **line_style(self._index(name)))
        ax.set(xlabel=f"Waiting time [{unit}]", ylabel="Pods [%]")
        ax.set_ylim(bottom=0)
        tidy(ax, f"Pods that waited longer, {self._seeds(seed)}")
        legend(ax, list(started))
        return ax

    def gantt(self, scheduler: str | None = None, *, seed: int | None = None, ax: Axes | None = None) -> Axes:
        """Draws the pods of a run on its nodes over time; without `scheduler` it is the first one."""
        name = scheduler or self._folder.scheduler_names()[0]
        run = self._first(name, seed)
        pods = self._folder.pods(run)
        nodes = list(self._folder.nodes(run)[0])
        ax = axes_for(ax, 9, min(12.0, 1.4 + 0.25 * max(3, len(nodes))))
        draw_gantt(ax, pods, nodes)
        tidy(ax, f"Pods of {run.scheduler}, seed {run.seed}", grid="x")
        return ax

    def comparison(self, metrics: Sequence[str] | None = None) -> Figure:
        """Draws means and 95 % confidence intervals over the seeds, one picture per metric.

        `metrics` are columns of the summary; without them those of the printed table that differ between runs.
        """
        comparisons = self._comparisons(metrics)
        rows = -(-len(comparisons) // _COLUMNS)
        height = rows * (1.1 + _ROW_HEIGHT * len(self._folder.scheduler_names()))
        figure, axes = new_figure(9, height, rows, min(_COLUMNS, len(comparisons)))
        for ax, comparison in zip(axes, comparisons, strict=False):
            _draw_comparison(ax, comparison)
        for ax in axes[len(comparisons) :]:
            ax.set_axis_off()
        figure.suptitle(f"{self._folder.experiment.name}: {self._seeds(None)}", fontsize=11, x=0.01, ha="left")
        return figure

    def _comparisons(self, metrics: Sequence[str] | None) -> list[Comparison]:
        found = {each.metric.name: each for each in compare(self._folder) if each.has_values}
        if metrics is None:
            shown = [each for each in found.values() if each.metric.heading]
            return [each for each in shown if not each.uneventful] or shown
        for name in metrics:
            if name not in found:
                raise InputError(f"there is no metric {name!r:.60} in these results", path="metrics")
        return [found[name] for name in metrics]

    def _draw_series(
        self,
        ax: Axes,
        column: str,
        label: str,
        seed: int | None,
        schedulers: Sequence[str] | None,
        factor: float = 1,
    ) -> None:
        names = self._schedulers(schedulers)
        runs = {name: self._folder.utilization(self._first(name, seed)) for name in names}
        unit, seconds = time_unit(longest([series[0] for series in runs.values()]))
        for name, series in runs.items():
            values: Floats = series[SERIES.index(column)] * factor
            ax.plot(series[0] / seconds, values, drawstyle="steps-post", label=name, **line_style(self._index(name)))
        ax.set(xlabel=f"Time [{unit}]", ylabel=label)
        ax.set_ylim(bottom=0)
        tidy(ax, f"{label.partition(' [')[0]}, seed {self._first(names[0], seed).seed}")
        legend(ax, names)

    def _schedulers(self, names: Sequence[str] | None) -> list[str]:
        return self._folder.scheduler_names() if names is None else [names] if isinstance(names, str) else list(names)

    def _index(self, scheduler: str) -> int:
        return self._folder.scheduler_names().index(scheduler)

    def _runs(self, scheduler: str, seed: int | None) -> list[RunFolder]:
        runs = [run for run in self._folder.runs_of(scheduler) if seed is None or run.seed == seed]
        if not runs:
            which = "" if seed is None else f" with seed {seed}"
            raise InputError(f"there is no run of {scheduler!r:.60}{which}", source=str(self._folder.path))
        return runs

    def _first(self, scheduler: str, seed: int | None) -> RunFolder:
        return self._runs(scheduler, seed)[0]

    def _seeds(self, seed: int | None) -> str:
        return seeds_text(self._folder.experiment.seeds if seed is None else [seed])


def _draw_comparison(ax: Axes, comparison: Comparison) -> None:
    for place, cell in enumerate(comparison.cells):
        if cell.interval is not None:
            draw_interval(ax, cell.interval, place, place)
    ax.set_yticks(range(len(comparison.cells)), [cell.scheduler for cell in comparison.cells], fontsize=8)
    ax.invert_yaxis()
    ax.margins(x=0.08, y=0.4 / max(1, len(comparison.cells)))
    ax.set_xlabel(BETTER[comparison.metric.better], fontsize=8)
    ax.tick_params(axis="x", labelsize=8)
    tidy(ax, fill(heading(comparison), _TITLE_WIDTH), grid="x")
