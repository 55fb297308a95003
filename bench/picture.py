"""Small pictures for the documentation, as SVG that stays readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

WIDTH, HEIGHT, MARGIN = 420, 260, 56
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
    'font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="#ffffff"/>'
)

Points = Sequence[tuple[float, float]]


def panels(charts: Sequence[tuple[str, str, Mapping[str, Points]]]) -> str:
    """Draws charts side by side: (title, name of the x axis, lines by name); x is logarithmic, y begins at 0."""
    drawn = [_panel(i * WIDTH, *chart) for i, chart in enumerate(charts)]
    return _HEAD.format(width=WIDTH * len(charts), height=HEIGHT) + "".join(drawn) + "</svg>\n"


def _panel(left: int, title: str, axis: str, lines: Mapping[str, Points]) -> str:
    points = [point for line in lines.values() for point in line]
    low, high = (math.log10(edge([x for x, _ in points])) for edge in (min, max))
    top = 20 * math.ceil(1.15 * max(y for _, y in points) / 20)  # so that all quarters are round

    def place(x: float, y: float) -> tuple[float, float]:
        share = (math.log10(x) - low) / ((high - low) or 1)
        return left + MARGIN + share * (WIDTH - 1.5 * MARGIN), HEIGHT - MARGIN - y / top * (HEIGHT - 2 * MARGIN)

    parts = [_text(left + WIDTH / 2, 24, title, "bold"), _text(left + WIDTH / 2, HEIGHT - 12, axis)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        _, y = place(10**low, share * top)
        parts.append(
            f'<line x1="{left + MARGIN}" x2="{left + WIDTH - MARGIN / 2}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        parts.append(_text(left + MARGIN - 22, y + 4, f"{share * top:.0f}"))
    parts += [_text(place(x, 0)[0], HEIGHT - MARGIN + 18, _short(x)) for x in sorted({x for x, _ in points})]
    for number, (name, line) in enumerate(lines.items()):
        parts.extend(_line([place(*point) for point in line], name, ("#0072b2", "#d55e00", "#009e73")[number % 3]))
    return "".join(parts)


def _line(points: Points, name: str, colour: str) -> Iterator[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
    x, y = points[-1]
    yield f'<text x="{x - 4:.1f}" y="{y - 10:.1f}" text-anchor="end" fill="{colour}">{escape(name)}</text>'


def icicle(root: Mapping[str, object], unit: str) -> str:
    """Draws a tree of {"name", "value", "children"}: below each box stand its parts, as wide as they are large."""
    width, row = 1000, 22
    boxes = list(_boxes(root, 0.0, 0, width / float(str(root["value"]))))
    height = row * (1 + max(depth for _, depth, _, _, _ in boxes)) + 8
    drawn = []
    for left, depth, wide, name, value in boxes:
        shade = 88 - 5 * (depth % 6)
        box = f'x="{left:.1f}" y="{4 + depth * row}" width="{max(wide - 1, 0.5):.1f}" height="{row - 2}"'
        fitting = (text for text in (name, name.rpartition(".")[2]) if len(text) * 6.4 + 6 < wide)
        label = next(fitting, "")
        title = f"<title>{escape(name)}: {value:.1f} {unit}</title>"
        text = f'<text x="{left + 4:.1f}" y="{19 + depth * row}" font-size="11">{escape(label)}</text>'
        drawn.append(f'<g>{title}<rect {box} fill="hsl(205 65% {shade}%)"/>{text}</g>')
    return _HEAD.format(width=width, height=height) + "".join(drawn) + "</svg>\n"


def _boxes(
    node: Mapping[str, object], left: float, depth: int, scale: float
) -> Iterator[tuple[float, int, float, str, float]]:
    value = float(str(node["value"]))
    yield left, depth, value * scale, str(node["name"]), value
    children = node["children"]
    assert isinstance(children, list)
    for child in sorted(children, key=lambda child: -child["value"]):
        yield from _boxes(child, left, depth + 1, scale)
        left += child["value"] * scale


def _text(x: float, y: float, text: str, weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-weight="{weight}">{escape(text)}</text>'


def _short(number: float) -> str:
    return f"{number / 1e6:g}M" if number >= 1e6 else f"{number / 1e3:g}k" if number >= 1e3 else f"{number:g}"
