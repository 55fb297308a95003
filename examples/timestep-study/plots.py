"""Draws the figures of the study as SVG, with a row of panels per workload."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 150, 60, 50, 70
BLUE, ORANGE, GREY = "#2a6fb0", "#d9701a", "#888"
PANELS: Sequence[tuple[str, Callable[[Any], float], bool]] = (
    ("crash rate", lambda run: float(run.crashed), True),
    ("duration [s]", lambda run: run.duration_s, False),
    ("makespan [s]", lambda run: run.makespan_s, False),
    ("mean wait [s]", lambda run: run.wait_s, False),
    ("overcommitted pods", lambda run: run.over, False),
)


def write_figure(path: Path, parameter: str, runs: Sequence[Any], exact: Sequence[Any]) -> None:
    """Writes a figure: points are runs, the line is their mean, the dashed line the scheduler in virtual time."""
    workloads = list(dict.fromkeys(run.workload for run in runs))
    if not workloads:
        return
    parts = [_text(LEFT, 22, f"{parameter} [ms]", 15, "start"), _key()]
    for row, workload in enumerate(workloads):
        of = [run for run in runs if run.workload == workload]
        right = [run for run in exact if run.workload == workload]
        for column, (name, value, crashed_too) in enumerate(PANELS):
            x, y = LEFT + column * (WIDTH + GAP), TOP + 25 + row * (HEIGHT + GAP)
            panel = Panel(x, y, logarithmic=parameter.startswith("max"))
            points = [(run.value, value(run)) for run in of if crashed_too or not run.crashed]
            parts.append(panel.draw(f"{workload}: {name}", points, [value(run) for run in right if not run.crashed]))
    width, height = LEFT + len(PANELS) * (WIDTH + GAP), TOP + 25 + len(workloads) * (HEIGHT + GAP)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    path.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n")


class Panel:
    """One plot at a position in the figure."""

    def __init__(self, x: float, y: float, logarithmic: bool) -> None:
        self.x, self.y, self.logarithmic = x, y, logarithmic

    def draw(self, title: str, points: Sequence[tuple[float, float]], exact: Sequence[float]) -> str:
        frame = f'<rect x="{self.x}" y="{self.y}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="{GREY}"/>'
        parts = [frame, _text(self.x, self.y - 8, title, 12, "start")]
        if not points:
            return "\n".join([*parts, _text(self.x + WIDTH / 2, self.y + HEIGHT / 2, "every run crashed", 11)])
        values = [value for _, value in points] + list(exact)
        low, high = (min(values), max(values)) if min(values) > 0 else (0.0, max(*values, 1.0))
        if high == low:
            low, high = 0.9 * low, 1.1 * high
        places = [self._along(x) for x, _ in points]
        first, last = min(places), max(places)

        def place(x: float, value: float) -> tuple[float, float]:
            share = (self._along(x) - first) / ((last - first) or 1)
            return self.x + WIDTH * (0.03 + 0.94 * share), self.y + HEIGHT * (0.95 - 0.9 * (value - low) / (high - low))

        for x, value in points:
            parts.append(
                '<circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="{}" opacity="0.6"/>'.format(*place(x, value), BLUE)
            )
        parts.append(_line([place(x, fmean(v for at, v in points if at == x)) for x in sorted({x for x, _ in points})]))
        if exact:
            level = place(points[0][0], fmean(exact))[1]
            parts.append(
                f'<line x1="{self.x}" x2="{self.x + WIDTH}" y1="{level:.1f}" y2="{level:.1f}" '
                f'stroke="{ORANGE}" stroke-width="2" stroke-dasharray="6 4"/>'
            )
        rows = (
            _text(
                self.x - 5,
                place(points[0][0], value)[1] + 4,
                f"{value:.0f}" if value >= 100 else f"{value:.3g}",
                10,
                "end",
            )
            for value in (low, high)
        )
        ends = (min(points)[0], max(points)[0])
        columns = (_text(place(x, low)[0], self.y + HEIGHT + 14, f"{x:g}", 10) for x in ends)
        return "\n".join([*parts, *rows, *columns])

    def _along(self, x: float) -> float:
        return math.log10(x) if self.logarithmic else x


def _line(places: Sequence[tuple[float, float]]) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{text}" fill="none" stroke="{BLUE}" stroke-width="1.5"/>'


def _key() -> str:
    return _text(
        LEFT,
        42,
        "blue: in timesteps, each point a run; orange, dashed: the same scheduler in virtual time",
        12,
        "start",
    )


def _text(x: float, y: float, text: str, size: int, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="#222">{text}</text>'
