"""Draws figure 5: the sizes of both node sets and the CPUs that they provide, over time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Protocol

from wavetank.studies.charts import Cell, Drawing, svg

WIDTH, HEIGHT, LEFT, TOP, GAP = 340, 210, 52, 58, 120
END = 9000  # seconds
STEP = 15
BLUE, RED, GREY = "#0072b2", "#d55e00", "#8a929b"


class Sizes(Protocol):
    """What is drawn of a run."""

    def size(self, group: str, time: float) -> int:
        """Returns how many nodes a set has at a time, in seconds."""

    def cores(self, time: float) -> int:
        """Returns the CPUs of both sets."""


def figure(runs: Mapping[str, Sizes]) -> Drawing:
    """Returns a picture with a panel for each run."""
    width = LEFT + len(runs) * (WIDTH + GAP)
    parts = [_key()]
    for number, (name, run) in enumerate(runs.items()):
        parts.append(f'<g transform="translate({LEFT + number * (WIDTH + GAP)} {TOP})">{_panel(name, run)}</g>')
    parts = ['<g font-size="12" fill="#1c2024">', *parts, "</g>"]
    return Drawing(svg(parts, width, TOP + HEIGHT + 50), _rows(runs))


def _rows(runs: Mapping[str, Sizes]) -> list[list[Cell]]:
    """Returns the sizes whenever one of them has changed."""
    rows: list[list[Cell]] = [["run", "time_s", "small_nodes", "large_nodes", "cpus", "requested_cpus"]]
    for name, run in runs.items():
        for time in range(0, END + 1, STEP):
            sizes = [run.size("small", time), run.size("large", time), run.cores(time), _demand(time)]
            if rows[-1][0] != name or rows[-1][2:] != sizes:
                rows.append([name, time, *sizes])
    return rows


def _panel(name: str, run: Sizes) -> str:
    times = range(0, END + 1, STEP)
    nodes = {group: [run.size(group, time) for time in times] for group in ("small", "large")}
    lines = [
        _steps([_demand(time) for time in times], 130, GREY, "1.5", "2 3"),
        _steps([run.cores(time) for time in times], 130, RED, "2", ""),
        _steps(nodes["small"], 12, BLUE, "2", ""),
        _steps(nodes["large"], 12, BLUE, "2", "7 4"),
    ]
    title = f'<text x="0" y="-10" font-weight="bold">{name}</text>'
    return "".join([title, _axes(), *lines])


def _demand(time: int) -> float:
    """Returns the CPUs that pods request: one pod of 0.5 CPU more every 15 s up to 242, then one less."""
    pods = min(time // 15 + 1, 242) if time < 3645 else max(242 - (time - 3630) // 15, 0)
    return 0.5 * pods


def _axes() -> str:
    parts = [f'<path d="M0 0V{HEIGHT}H{WIDTH}V0" fill="none" stroke="#5f6872"/>']
    for count in range(0, 13, 2):
        y = HEIGHT * (1 - count / 12)
        parts.append(f'<text x="-8" y="{y + 4:.1f}" text-anchor="end" fill="{BLUE}">{count}</text>')
    for cores in range(0, 131, 20):
        y = HEIGHT * (1 - cores / 130)
        parts.append(f'<text x="{WIDTH + 8}" y="{y + 4:.1f}" fill="{RED}">{cores}</text>')
    for minutes in range(0, END // 60 + 1, 30):
        x = WIDTH * minutes * 60 / END
        parts.append(f'<path d="M{x:.1f} {HEIGHT}v5" stroke="#5f6872"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT + 20}" text-anchor="middle">{minutes}</text>')
    middle = f'x="{WIDTH / 2}" y="{HEIGHT + 40}" text-anchor="middle"'
    parts.append(f"<text {middle}>time [min]</text>")
    up = f"translate(-34 {HEIGHT / 2}) rotate(-90)"
    parts.append(f'<text transform="{up}" text-anchor="middle" fill="{BLUE}">nodes</text>')
    down = f"translate({WIDTH + 44} {HEIGHT / 2}) rotate(-90)"
    parts.append(f'<text transform="{down}" text-anchor="middle" fill="{RED}">CPUs</text>')
    return "".join(parts)


def _steps(values: list[float] | list[int], high: float, colour: str, width: str, dash: str) -> str:
    path = f"M0 {_y(values[0], high)}"
    for i, (before, value) in enumerate(pairwise(values), start=1):
        if value != before:
            path += f"H{WIDTH * i * STEP / END:.1f}V{_y(value, high)}"
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="{path}H{WIDTH}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>'


def _y(value: float, high: float) -> str:
    return f"{HEIGHT * (1 - value / high):.1f}"


def _key() -> str:
    entries = (
        (BLUE, "", "nodes of the small set"),
        (BLUE, "7 4", "nodes of the large set"),
        (RED, "", "CPUs of both"),
        (GREY, "2 3", "CPUs that pods request"),
    )
    parts = []
    for number, (colour, dash, text) in enumerate(entries):
        x = LEFT + number * 205
        parts.append(f'<path d="M{x} 18h26" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
        parts.append(f'<text x="{x + 32}" y="22">{text}</text>')
    return "".join(parts)
