"""A Gantt chart of slots as an SVG picture that follows the reader's light or dark theme."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from wavetank.batchoperator.recording import SlotUse
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.write.timeaxis import time_ticks

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW, _BOTTOM = 900, 150, 20, 12, 26, 34
_MOST_USES = 5000  # drawn: more would be a picture of lines
# Colours that are told apart by people with any colour vision (Okabe and Ito), dark enough for white letters.
_COLOURS = ("#0072b2", "#b8501c", "#00795a", "#8f4a7d", "#4b6b88", "#8a6d00", "#a13d63", "#5b5b9a")
_STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #24292f } .axis { stroke: #d0d7de } .lane { fill: #f6f8fa }
.use { stroke: #ffffff } text.name { fill: #ffffff }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .axis { stroke: #30363d } .lane { fill: #161b22 } .use { stroke: #0d1117 }
}
</style>"""


def draw_slots(slots: Mapping[tuple[str, int], str], uses: Sequence[SlotUse], end: Nanoseconds) -> str:
    """Draws which job was in which slot: a row for each slot, by testbed and id; `slots` has their nodes."""
    rows = {key: i for i, key in enumerate(sorted(slots))}
    height = _TOP + len(rows) * _ROW + _BOTTOM
    span = max([end, *(use.end or end for use in uses), 1])
    scale = (_WIDTH - _LEFT - _RIGHT) / span
    shown = uses[:_MOST_USES]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        "<title>Jobs in the slots over time</title>",
        _STYLE,
        *_lanes(rows, slots),
        *_axis(span, scale, height),
        *_bars(shown, rows, scale, span),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _lanes(rows: Mapping[tuple[str, int], int], slots: Mapping[tuple[str, int], str]) -> Iterator[str]:
    several = len({testbed for testbed, _ in rows}) > 1
    for (testbed, slot), row in rows.items():
        top = _TOP + row * _ROW
        label = f"{testbed} {slot}" if several else f"slot {slot}"
        node = slots[testbed, slot]
        yield f'<rect class="lane" x="{_LEFT}" y="{top + 2}" width="{_WIDTH - _LEFT - _RIGHT}" height="{_ROW - 4}"/>'
        yield f'<text x="{_LEFT - 8}" y="{top + 17}" text-anchor="end">{escape(f"{label} · {node}")}</text>'


def _axis(span: Nanoseconds, scale: float, height: int) -> Iterator[str]:
    for tick, label in time_ticks(span / SECOND):
        x = _LEFT + tick * SECOND * scale
        yield f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{height - _BOTTOM + 4}"/>'
        yield f'<text x="{x:.1f}" y="{height - 12}" text-anchor="middle">{label}</text>'


def _bars(
    uses: Sequence[SlotUse], rows: Mapping[tuple[str, int], int], scale: float, span: Nanoseconds
) -> Iterator[str]:
    jobs = {name: i for i, name in enumerate(dict.fromkeys(use.job for use in uses))}
    for use in uses:
        x, right = _LEFT + use.start * scale, _LEFT + (span if use.end is None else use.end) * scale
        y, width = _TOP + rows[use.testbed, use.slot] * _ROW + 2, max(right - x, 0.5)
        colour = _COLOURS[jobs[use.job] % len(_COLOURS)]
        title = f"<title>{escape(f'{use.pod} in slot {use.slot}')}</title>"
        yield (
            f'<rect class="use" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 4}" rx="3" '
            f'fill="{colour}">{title}</rect>'
        )
        if width > 8 * len(use.job) + 8:
            name = escape(use.job)
            yield f'<text class="name" x="{x + width / 2:.1f}" y="{y + 15}" text-anchor="middle">{name}</text>'
