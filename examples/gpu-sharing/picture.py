"""Draws the figure of the study: allocated GPUs over requested GPUs, one line per policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP = 620, 380, 60, 60
LEAST_X, MOST_X, LEAST_Y, MOST_Y = 70, 130, 70, 100  # percent; below this load all policies place every pod
COLOURS = ("#777777", "#b07d2b", "#4a9a5b", "#7d5fb0", "#d9701a", "#1f6fb4")


def write_curves(path: Path, curves: Mapping[str, Sequence[float]]) -> None:
    """Writes the figure; a curve has a value for each percent from 0 on."""
    title = _text(LEFT, 26, "GPUs in use, while pods come that ask for more and more of them", 15)
    parts = [title, *_grid(), *_ideal()]
    for curve, colour in zip(curves.values(), COLOURS, strict=False):
        shown = [(x, y) for x, y in enumerate(curve) if x >= LEAST_X and y >= LEAST_Y]
        line = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in shown)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.2"/>')
    parts += _names({policy: curve[-1] for policy, curve in curves.items()})
    below = "asked for by the pods that have come, % of all GPUs"
    parts.append(_text(LEFT + WIDTH / 2, TOP + HEIGHT + 42, below, 12, "middle"))
    parts.append(_text(LEFT, TOP - 14, "in use, % of all GPUs", 12))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 160} {TOP + HEIGHT + 60}"'
    body = ['<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]
    path.write_text("\n".join([f'{head} font-family="sans-serif">', *body]) + "\n")


def _grid() -> Iterator[str]:
    for percent in range(LEAST_Y, MOST_Y + 1, 5):
        y = _y(percent)
        yield f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e2e2e2"/>'
        yield _text(LEFT - 8, y + 4, str(percent), 11, "end")
    for percent in range(LEAST_X, MOST_X + 1, 10):
        yield _text(_x(percent), TOP + HEIGHT + 20, str(percent), 11, "middle")


def _ideal() -> Iterator[str]:
    """Draws the allocation if every pod were placed."""
    points = f"{_x(LEAST_Y):.1f},{_y(LEAST_Y):.1f} {_x(MOST_Y):.1f},{_y(MOST_Y):.1f} {_x(MOST_X):.1f},{_y(MOST_Y):.1f}"
    yield f'<polyline points="{points}" fill="none" stroke="#bbbbbb" stroke-dasharray="4 4"/>'
    yield _text(_x(MOST_X) - 4, _y(MOST_Y) + 16, "if every pod found a place", 11, "end")


def _names(ends: Mapping[str, float]) -> Iterator[str]:
    """Labels the lines at their ends, the best on top, without overlaps."""
    colours = dict(zip(ends, COLOURS, strict=False))
    last = 0.0
    for policy, end in sorted(ends.items(), key=lambda item: -item[1]):
        last = max(_y(end) + 4, last + 17)
        yield _text(LEFT + WIDTH + 8, last, f"{policy} {end:.1f}", 12, colour=colours[policy])


def _x(percent: float) -> float:
    return LEFT + WIDTH * (percent - LEAST_X) / (MOST_X - LEAST_X)


def _y(percent: float) -> float:
    return TOP + HEIGHT * (MOST_Y - percent) / (MOST_Y - LEAST_Y)


def _text(x: float, y: float, text: str, size: int, anchor: str = "start", colour: str = "black") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
