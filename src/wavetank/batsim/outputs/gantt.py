"""The schedule as one HTML page: a Gantt chart by machine, darker where jobs overlap, and the overlaps in a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from wavetank.batsim.jobs.job import Job, JobState
from wavetank.batsim.outputs.overlaps import Overlap, overlaps_of
from wavetank.batsim.platform.machine import Machine
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.write.timeaxis import time_ticks

_WIDTH, _LEFT, _RIGHT, _TALLEST, _MOST_ROWS = 960, 90, 30, 900, 500
_COLORS = {
    JobState.SUCCESS: "#0072b2",
    JobState.FAILED: "#d55e00",
    JobState.WALLTIME: "#e69f00",
    JobState.KILLED: "#cc79a7",
}
_STYLE = """:root { color-scheme: light dark; --ink: #1b1b22; --paper: #fbfbf9; --line: #ddd }
@media (prefers-color-scheme: dark) { :root { --ink: #eee; --paper: #17171c; --line: #444 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem;
  margin: 2rem auto; padding: 0 1rem }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink) }
svg rect { fill-opacity: .45 } svg rect.overlap { fill: #000; fill-opacity: .35 } svg line { stroke: var(--line) }
table { border-collapse: collapse }
td, th { padding: .2rem .8rem; text-align: left; border-bottom: 1px solid var(--line) }
.key span { margin-right: 1.2rem }
.key i { display: inline-block; width: .9rem; height: .9rem; margin-right: .4rem; opacity: .6 }"""
_NAMES = {
    JobState.SUCCESS: "succeeded",
    JobState.FAILED: "failed",
    JobState.WALLTIME: "walltime reached",
    JobState.KILLED: "killed",
}


def write_gantt(path: Path, title: str, jobs: Sequence[Job], machines: Sequence[Machine], end: Nanoseconds) -> None:
    """Writes the page of a finished simulation."""
    ran = [job for job in jobs if job.started is not None and job.allocation]
    overlaps = overlaps_of(ran)
    shared = {name for overlap in overlaps for name in overlap.jobs}
    sentence = (
        f"{len(shared)} of {len(ran)} jobs shared a machine with another: {len(overlaps)} overlaps."
        if overlaps
        else f"{len(ran)} jobs; no two of them were on one machine at the same time."
    )
    page = (
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style><h1>{escape(title)}</h1><p>{sentence}</p>"
        f"{_key(ran, bool(overlaps))}{_chart(ran, overlaps, machines, max(end, 1))}{_table(overlaps)}</html>\n"
    )
    path.write_text(page, encoding="utf-8")


def _key(jobs: Sequence[Job], overlaps: bool) -> str:
    states = [state for state in _COLORS if any(job.state is state for job in jobs)]
    parts = [f"<span><i style='background:{_COLORS[state]}'></i>{_NAMES[state]}</span>" for state in states]
    dark = ["<span><i style='background:#000'></i>several jobs</span>"] if overlaps else []
    return f"<p class=key>{''.join((*parts, *dark))}</p>"


def _chart(jobs: Sequence[Job], overlaps: Sequence[Overlap], machines: Sequence[Machine], end: Nanoseconds) -> str:
    rows = min(len(machines), _MOST_ROWS)
    height = max(2.0, min(22.0, _TALLEST / rows))
    bars = [_bar(job, row, height, end) for job in jobs for row in job.allocation if row < rows]
    dark = [_shade(each, height, end) for each in overlaps if each.machine < rows]
    step = max(1, round(16 / height))
    names = [
        f"<text x={_LEFT - 8} y={(i + 0.5) * height + 4:.1f} text-anchor=end>{escape(machines[i].name[:14])}</text>"
        for i in range(0, rows, step)
    ]
    bottom = rows * height
    scale = (_WIDTH - _LEFT - _RIGHT) / end
    axis = [
        f"<line x1={x:.1f} x2={x:.1f} y1=0 y2={bottom:.1f} /><text x={x:.1f} y={bottom + 16:.1f} text-anchor=middle>"
        f"{written}</text>"
        for tick, written in time_ticks(end / SECOND)
        for x in [_LEFT + tick * SECOND * scale]
    ]
    label = "Jobs on machines over time"
    picture = "".join((*axis, *names, *bars, *dark))
    more = f"<p>The first {rows} of {len(machines)} machines are shown.</p>" if rows < len(machines) else ""
    return f"<svg viewBox='0 0 {_WIDTH} {bottom + 24:.0f}' role=img aria-label='{label}'>{picture}</svg>{more}"


def _bar(job: Job, row: int, height: float, end: Nanoseconds) -> str:
    assert job.started is not None
    finish = job.finished or job.started
    told = f"{job.identifier}: {job.started / SECOND:g} to {finish / SECOND:g} s"
    where = _rectangle(job.started, finish, row, height, end)
    return f"<rect {where} fill='{_COLORS.get(job.state, '#888')}'><title>{escape(told)}</title></rect>"


def _shade(overlap: Overlap, height: float, end: Nanoseconds) -> str:
    told = f"{', '.join(overlap.jobs)}: {overlap.begin / SECOND:g} to {overlap.end / SECOND:g} s"
    where = _rectangle(overlap.begin, overlap.end, overlap.machine, height, end)
    return f"<rect class=overlap {where}><title>{escape(told)}</title></rect>"


def _rectangle(begin: Nanoseconds, finish: Nanoseconds, row: int, height: float, end: Nanoseconds) -> str:
    scale = (_WIDTH - _LEFT - _RIGHT) / end
    x, width = _LEFT + begin * scale, max(0.5, (finish - begin) * scale)
    return f"x={x:.2f} y={row * height + 0.5:.2f} width={width:.2f} height={max(1.0, height - 1):.2f}"


def _table(overlaps: Sequence[Overlap]) -> str:
    if not overlaps:
        return ""
    rows = "".join(
        f"<tr><td>{each.machine}<td>{each.begin / SECOND:g}<td>{each.end / SECOND:g}<td>{escape(', '.join(each.jobs))}"
        for each in overlaps[:200]
    )
    more = f"<p>{len(overlaps) - 200} more overlaps are not listed.</p>" if len(overlaps) > 200 else ""
    table = f"<table><tr><th>machine<th>from [s]<th>to [s]<th>jobs{rows}</table>{more}"
    return f"<details><summary>All overlaps</summary>{table}</details>"
