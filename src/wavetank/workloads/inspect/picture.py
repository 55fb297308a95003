"""A picture of a workload as SVG, drawn by hand so that it needs nothing installed."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from wavetank.files import replacing
from wavetank.workloads.inspect.summary import Spread, WorkloadSummary

_WIDTH, _HEIGHT, _LEFT, _TOP = 720, 300, 60, 50
_PLOT_WIDTH, _PLOT_HEIGHT = 640, 160
_STYLE = "font:12px system-ui,sans-serif;background:#fff"


def write_picture(summary: WorkloadSummary, path: Path) -> None:
    """Writes the arrival curve and the main numbers; InputError if the file cannot be written."""
    with replacing(path) as unfinished:
        unfinished.write_text(draw(summary), encoding="utf-8")


def draw(summary: WorkloadSummary) -> str:
    """Returns the picture: pods that arrive in each part of the span, and below it what they are like."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" style="{_STYLE}">'
    return "\n".join((head, *_parts(summary), "</svg>", ""))


def _parts(summary: WorkloadSummary) -> Iterator[str]:
    title = f"{summary.file} ({summary.format}): {summary.jobs} jobs, {summary.pods} pods"
    yield _text(_LEFT, 24, title, "font-weight:600;font-size:14px")
    yield _text(_LEFT, 42, "pods that arrive", "fill:#666")
    most = max(summary.arrivals, default=0) or 1
    width = _PLOT_WIDTH / max(1, len(summary.arrivals))
    for i, pods in enumerate(summary.arrivals):
        height = _PLOT_HEIGHT * pods / most
        place = f'x="{_LEFT + i * width:.2f}" y="{_TOP + _PLOT_HEIGHT - height:.2f}"'
        yield f'<rect {place} width="{width * 0.9:.2f}" height="{height:.2f}" fill="#2f6fb0"/>'
    yield from _axes(summary, most)
    yield _text(_LEFT, _TOP + _PLOT_HEIGHT + 45, _words("run time [s]", summary.durations), "fill:#333")
    for i, (resource, spread) in enumerate(list(summary.requests.items())[:2]):
        yield _text(_LEFT, _TOP + _PLOT_HEIGHT + 63 + 18 * i, _words(f"{resource} request", spread), "fill:#333")


def _axes(summary: WorkloadSummary, most: int) -> Iterator[str]:
    bottom = _TOP + _PLOT_HEIGHT
    yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{_LEFT + _PLOT_WIDTH}" fill="none" stroke="#999"/>'
    yield _text(_LEFT - 6, _TOP + 8, str(most), "text-anchor:end;fill:#666")
    yield _text(_LEFT - 6, bottom, "0", "text-anchor:end;fill:#666")
    yield _text(_LEFT, bottom + 18, f"{summary.first_arrival:g} s", "fill:#666")
    yield _text(_LEFT + _PLOT_WIDTH, bottom + 18, f"{summary.last_arrival:g} s", "text-anchor:end;fill:#666")


def _words(what: str, spread: Spread | None) -> str:
    if spread is None:
        return f"{what}: none"
    return f"{what}: median {spread.median:g}, mean {spread.mean:.4g}, 95 % up to {spread.p95:g}, most {spread.most:g}"


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x}" y="{y}" style="{style}">{escape(text)}</text>'
