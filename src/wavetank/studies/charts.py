"""Line charts and bar charts of studies, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

COLOURS = ("#0072b2", "#d55e00", "#00845f", "#b35489", "#b07a00", "#2f8fc6", "#5f6872", "#7d5fb0")
INK, QUIET, RULE = "#1c2024", "#5f6872", "#e3e5e8"
LEFT, TOP, WIDTH, HEIGHT, BELOW = 64, 64, 640, 300, 56

Point = tuple[float, float]
Cell = str | int | float


class Drawing(NamedTuple):
    """A picture as SVG, and what it shows as rows of a table, a heading first."""

    svg: str
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Axis:
    """An axis: what it shows with its unit, and its ends, from the data if None. Logarithmic axes start above 0."""

    label: str
    least: float | None = None
    most: float | None = None
    logarithmic: bool = False


def line_chart(title: str, x: Axis, y: Axis, lines: Mapping[str, Sequence[Point]]) -> Drawing:
    """Returns a chart with a line for each name, which stands at the line's end."""
    points = [point for line in lines.values() for point in line]
    across, up = (
        _Scale(x, [a for a, _ in points], LEFT, WIDTH),
        _Scale(y, [b for _, b in points], TOP + HEIGHT, -HEIGHT),
    )
    parts = [*_frame(title, up, y), *_ticks_below(across, x)]
    for line, colour in zip(lines.values(), _colours(), strict=False):
        path = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in line if across.shows(a) and up.shows(b))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>')
    ends = {name: up(min(max(line[-1][1], up.low), up.high)) for name, line in lines.items() if line}
    parts += _names_at_ends(ends)
    drawn = svg(parts, LEFT + WIDTH + 12 + 7 * max(map(len, lines), default=0), TOP + HEIGHT + BELOW)
    rows: list[tuple[Cell, ...]] = [("line", x.label, y.label)]
    return Drawing(drawn, rows + [(name, *point) for name in lines for point in lines[name]])


def bar_chart(
    title: str,
    y: Axis,
    groups: Mapping[str, Mapping[str, float]],
    spread: Mapping[tuple[str, str], float] | None = None,
) -> Drawing:
    """Returns bars in groups, one colour for each name within them; `spread` adds whiskers of ± by (group, name)."""
    spread = spread or {}
    names = list(dict.fromkeys(name for bars in groups.values() for name in bars))
    values = [bars[name] + spread.get((group, name), 0) for group, bars in groups.items() for name in bars]
    up = _Scale(y, [*values, *([] if y.logarithmic else [0.0])], TOP + 20 + HEIGHT, -HEIGHT)
    parts = [*_frame(title, up, y, shift=20), *_legend(names)]
    colours = dict(zip(names, _colours(), strict=False))
    slot = WIDTH / max(len(groups), 1)
    wide = min(46.0, 0.82 * slot / max(len(names), 1))
    for number, (group, bars) in enumerate(groups.items()):
        middle = LEFT + slot * (number + 0.5)
        parts.append(text(middle, TOP + 20 + HEIGHT + 20, group, 12, "middle"))
        for i, name in enumerate(name for name in names if name in bars):
            left = middle + wide * (i - len(bars) / 2)
            parts += _bar(left, wide, bars[name], spread.get((group, name), 0), up, colours[name])
    rows: list[tuple[Cell, ...]] = [("group", "bar", y.label, "plus or minus")]
    rows += [
        (group, name, value, spread.get((group, name), 0))
        for group, bars in groups.items()
        for name, value in bars.items()
    ]
    return Drawing(svg(parts, LEFT + WIDTH + 20, TOP + 20 + HEIGHT + BELOW - 20), rows)


def text(x: float, y: float, words: str, size: int, anchor: str = "start", colour: str = INK) -> str:
    """Returns a text element."""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{escape(words)}</text>'


class _Scale:
    """Maps values to pixels."""

    def __init__(self, axis: Axis, values: Sequence[float], start: float, length: float) -> None:
        self._logarithmic = axis.logarithmic
        low = axis.least if axis.least is not None else min(values, default=0.0)
        high = axis.most if axis.most is not None else max(values, default=1.0)
        if axis.logarithmic:
            low, high = 10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high))
        self.low, self.high = (low, high) if high > low else (low, low + 1)
        self._start, self._length = start, length

    def __call__(self, value: float) -> float:
        share = (self._of(value) - self._of(self.low)) / (self._of(self.high) - self._of(self.low))
        return self._start + self._length * share

    def _of(self, value: float) -> float:
        return log10(value) if self._logarithmic else value

    def shows(self, value: float) -> bool:
        """Returns whether a value lies between the ends."""
        return self.low <= value <= self.high

    def ticks(self) -> list[float]:
        """Returns round values, about six."""
        if self._logarithmic:
            first, last = round(log10(self.low)), round(log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        size = 10.0 ** floor(log10((self.high - self.low) / 5))
        step = next(size * each for each in (1, 2, 5, 10) if (self.high - self.low) / (size * each) <= 7)
        return [step * i for i in range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]


def _frame(title: str, up: _Scale, axis: Axis, shift: int = 0) -> Iterator[str]:
    yield text(LEFT - 48, 26, title, 15)
    yield text(LEFT - 48, TOP + shift - 14, axis.label, 12, colour=QUIET)
    for value in up.ticks():
        y = up(value)
        yield f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{RULE}"/>'
        yield text(LEFT - 8, y + 4, f"{value:,.6g}", 11, "end", QUIET)


def _ticks_below(across: _Scale, axis: Axis) -> Iterator[str]:
    for value in across.ticks():
        yield text(across(value), TOP + HEIGHT + 18, f"{value:,.6g}", 11, "middle", QUIET)
    yield text(LEFT + WIDTH / 2, TOP + HEIGHT + 42, axis.label, 12, "middle", QUIET)


def _names_at_ends(ends: Mapping[str, float]) -> Iterator[str]:
    """Writes the names beside the ends of their lines, without overlaps."""
    colours = dict(zip(ends, _colours(), strict=False))
    last = 0.0
    for name, y in sorted(ends.items(), key=lambda item: item[1]):
        last = max(y + 4, last + 16)
        yield text(LEFT + WIDTH + 8, last, name, 12, colour=colours[name])


def _legend(names: Sequence[str]) -> Iterator[str]:
    x = float(LEFT)
    for name, colour in zip(names, _colours(), strict=False):
        yield f'<rect x="{x:.1f}" y="42" width="12" height="12" rx="2" fill="{colour}"/>'
        yield text(x + 18, 52, name, 12)
        x += 40 + 7 * len(name)


def _bar(left: float, wide: float, value: float, spread: float, up: _Scale, colour: str) -> Iterator[str]:
    top, bottom, middle = up(value), up(up.low), left + wide / 2
    yield f'<rect x="{left + 1:.1f}" y="{top:.1f}" width="{wide - 2:.1f}" height="{bottom - top:.1f}" fill="{colour}"/>'
    if spread:
        ends = up(max(value - spread, up.low)), up(value + spread)
        yield f'<path d="M{middle:.1f} {ends[0]:.1f}V{ends[1]:.1f}" stroke="{INK}" stroke-width="1.2"/>'
    if wide >= 26:
        label = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
        yield text(middle, (up(value + spread) if spread else top) - 5, label, 10, "middle", QUIET)


def _colours() -> Iterator[str]:
    while True:
        yield from COLOURS


def svg(parts: Sequence[str], width: float, height: float) -> str:
    """Returns a picture of these elements, on a white ground."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"
