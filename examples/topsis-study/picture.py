"""Draws the figure of the study: the utilization of the nodes, the highest first, one line per scheduler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP = 620, 300, 60, 60
COLOURS = ("#888888", "#2a6fb0", "#d9701a")


def write_curves(path: Path, curves: Mapping[str, Sequence[float]]) -> None:
    """Writes the figure; values are in percent."""
    highest = max(max(curve) for curve in curves.values())
    parts = [_text(LEFT, 26, "Memory that a node needs: requests of pods and load of others", 15)]
    for percent in range(0, int(highest) + 1, 20):
        y = _y(percent, highest)
        dashes = ' stroke-dasharray="5 4" stroke-width="1.5"' if percent == 100 else ""
        colour = "#b03030" if percent == 100 else "#dddddd"
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y}" y2="{y}" stroke="{colour}"{dashes}/>')
        parts.append(_text(LEFT - 8, y + 4, f"{percent} %", 11, "end"))
    for (name, curve), colour in zip(curves.items(), COLOURS, strict=False):
        points = [(LEFT + WIDTH * i / (len(curve) - 1), _y(value, highest)) for i, value in enumerate(curve)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        at = list(curves).index(name)
        parts.append(f'<rect x="{LEFT + 190 * at}" y="{TOP - 20}" width="14" height="4" fill="{colour}"/>')
        parts.append(_text(LEFT + 190 * at + 20, TOP - 14, name, 12))
    parts.append(_text(LEFT + WIDTH / 2, TOP + HEIGHT + 24, "nodes, the fullest first", 12, "middle"))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {TOP + HEIGHT + 40}"'
    body = ['<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]
    path.write_text("\n".join([f'{head} font-family="sans-serif">', *body]) + "\n")


def _y(percent: float, highest: float) -> float:
    return TOP + HEIGHT * (1 - percent / highest)


def _text(x: float, y: float, text: str, size: int, anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}">{text}</text>'
