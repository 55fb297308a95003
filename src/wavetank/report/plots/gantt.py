from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wavetank.report.plots.figure import COLOURS, time_unit
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import seconds_of
from wavetank.results.columns.podcolumns import PodColumns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LABELS = 40  # nodes whose names fit beside the chart


class _Bar(NamedTuple):
    node: int
    begin: float
    end: float
    lane: int
    colour: int


def draw_gantt(ax: Axes, pods: PodColumns, nodes: Sequence[str]) -> None:
    """Draws a bar for each pod from its binding to its end, coloured by job; overlapping pods in lanes of their node.

    A pod that never ended reaches to the last event of the run.
    """
    from matplotlib.collections import PolyCollection

    bars, lanes, end = _bars(pods, nodes)
    unit, seconds = time_unit(end)
    corners = [_corners(bar, lanes[bar.node], seconds) for bar in bars]
    colours = [COLOURS[bar.colour % len(COLOURS)] for bar in bars]
    ax.add_collection(PolyCollection(corners, facecolors=colours, edgecolors="white", linewidths=0.3))
    ax.set(xlim=(0, end / seconds or 1), ylim=(len(nodes) - 0.5, -0.5), xlabel=f"Time [{unit}]")
    if len(nodes) <= _MOST_LABELS:
        ax.set_yticks(range(len(nodes)), nodes, fontsize=8)
    else:
        ax.set_ylabel(f"{len(nodes):,} nodes")


def _bars(pods: PodColumns, nodes: Sequence[str]) -> tuple[list[_Bar], dict[int, int], float]:
    """Returns the bars, the number of lanes of each node, and the last time, in seconds."""
    places = {name: place for place, name in enumerate(nodes)}
    node = pods.node.each(lambda name: places.get(name, -1), np.int64)
    begins, ends = seconds_of(pods.scheduled), seconds_of(pods.finished)
    known = np.concatenate([begins[~np.isnan(begins)], ends[~np.isnan(ends)]])
    last = float(known.max()) if len(known) else 0.0
    ends = np.where(np.isnan(ends), last, ends)
    placed = np.flatnonzero((node >= 0) & ~np.isnan(begins))
    order = placed[np.lexsort((ends[placed], begins[placed], node[placed]))]
    jobs = Coded(pods.job_ids).codes
    free: dict[int, list[float]] = {}
    bars = [
        _Bar(place, begin, end, _lane(free.setdefault(place, []), begin, end), colour)
        for place, begin, end, colour in _rows(node[order], begins[order], ends[order], jobs[order])
    ]
    return bars, {place: len(of) for place, of in free.items()}, last


def _rows(*columns: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Iterator[tuple[int, float, float, int]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _lane(free: list[float], begin: float, end: float) -> int:
    """Takes the first lane that is free at `begin` until `end`."""
    for lane, until in enumerate(free):
        if until <= begin:
            free[lane] = end
            return lane
    free.append(end)
    return len(free) - 1


def _corners(bar: _Bar, lanes: int, seconds: int) -> list[tuple[float, float]]:
    height = 0.86 / lanes
    top = bar.node - 0.43 + bar.lane * height
    left, right = bar.begin / seconds, bar.end / seconds
    return [(left, top), (right, top), (right, top + height), (left, top + height)]
