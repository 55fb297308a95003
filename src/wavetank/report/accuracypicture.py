"""Pictures of a real run and its simulation, in SVG with the colours of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import floor, log10

from wavetank.results.compare.accuracy import Accuracy, JobError

_WIDTH, _HEIGHT = 900, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 16, 14, 46
_MOST_POINTS = 400  # of a line
_REAL, _SIMULATED = "var(--ink)", "var(--series-0)"


def curves_picture(accuracy: Accuracy) -> str:
    """Returns the number of finished pods over time, a line per run."""
    runs = (*accuracy.real_finished, *accuracy.simulated_finished)
    end = max((times[-1] for times in runs if times), default=1.0) or 1.0
    most = max(map(len, runs)) or 1
    axes = _Axes(end, most, "time [s]", "finished pods")
    lines = [
        *(axes.steps(times, _SIMULATED, 0.5) for times in accuracy.simulated_finished),
        *(axes.steps(times, _REAL, 1.0) for times in accuracy.real_finished),
    ]
    legend = _legend((("real", _REAL), ("simulated", _SIMULATED)))
    return _svg("Finished pods over time, real and simulated", (*axes.frame(), *lines, legend))


def jobs_picture(jobs: Sequence[JobError]) -> str:
    """Returns the waits of jobs, real to the right and simulated upwards."""
    most = max((max(job.real_wait, job.simulated_wait) for job in jobs), default=0.0) or 1.0
    axes = _Axes(most, most, "wait in the real run [s]", "simulated [s]")
    points = (
        f'<circle cx="{axes.x(job.real_wait):.1f}" cy="{axes.y(job.simulated_wait):.1f}" r="3.5" '
        f'fill="{_SIMULATED}" fill-opacity="0.6"><title>{escape(job.job)}</title></circle>'
        for job in reversed(jobs[:2000])
    )
    equal = f'<path d="M{axes.x(0)},{axes.y(0)} L{axes.x(most)},{axes.y(most)}" stroke="var(--quiet)" fill="none"/>'
    return _svg("Waits of jobs, real and simulated", (*axes.frame(), equal, *points))


def curve_rows(accuracy: Accuracy) -> list[list[str | float]]:
    """Returns when each pod of each run finished, a heading first; times are in seconds."""
    rows: list[list[str | float]] = [["side", "run", "time_s", "finished_pods"]]
    for side, runs in (("real", accuracy.real_finished), ("simulated", accuracy.simulated_finished)):
        rows += [[side, run, at, count] for run, times in enumerate(runs, 1) for count, at in enumerate(times, 1)]
    return rows


def job_rows(jobs: Sequence[JobError]) -> list[list[str | float]]:
    """Returns the waits and turnarounds of all jobs in seconds, a heading first."""
    rows: list[list[str | float]] = [[f"{name}_s" if name != "job" else name for name in JobError._fields]]
    rows += [list(job) for job in jobs]
    return rows


class _Axes:
    def __init__(self, width: float, height: float, below: str, beside: str) -> None:
        self._width, self._height = width, height
        self._below, self._beside = below, beside

    def x(self, value: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * value / self._width, 1)

    def y(self, value: float) -> float:
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / self._height, 1)

    def steps(self, times: Sequence[float], colour: str, opacity: float) -> str:
        every = max(1, len(times) // _MOST_POINTS)
        chosen = [*range(0, len(times), every), len(times) - 1] if times else []
        path = f"M{self.x(0)},{self.y(0)}" + "".join(f"H{self.x(times[i])}V{self.y(i + 1)}" for i in chosen)
        return f'<path d="{path}" fill="none" stroke="{colour}" stroke-opacity="{opacity}" stroke-width="1.8"/>'

    def frame(self) -> Iterator[str]:
        bottom, right = self.y(0), _WIDTH - _RIGHT
        for value in _ticks(self._width):
            yield _text(self.x(value), bottom + 18, f"{value:g}", "middle")
        for value in _ticks(self._height):
            yield f'<path d="M{_LEFT},{self.y(value)}H{right}" stroke="var(--rule)"/>'
            yield _text(_LEFT - 8, self.y(value) + 4, f"{value:g}", "end")
        yield _text((_LEFT + right) / 2, _HEIGHT - 8, self._below, "middle")
        middle = (_TOP + bottom) / 2
        yield f'<g transform="rotate(-90 14 {middle})">{_text(14, middle, self._beside, "middle")}</g>'


def _ticks(most: float) -> list[float]:
    """Returns round numbers from 0 on, four to ten of them."""
    size = 10.0 ** floor(log10(most / 4))
    step = next(size * factor for factor in (1, 2, 5, 10) if most / (size * factor) <= 8)
    return [round(step * i, 9) for i in range(int(most / step + 1e-9) + 1)]


def _legend(entries: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f'<path d="M{_LEFT + 14 + 90 * i},{_TOP + 12}h22" stroke="{colour}" stroke-width="2.5"/>'
        + _text(_LEFT + 42 + 90 * i, _TOP + 16, label, "start")
        for i, (label, colour) in enumerate(entries)
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="var(--quiet)">{escape(text)}</text>'


def _svg(label: str, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    return f'<svg {size} font-size="13" role="img" aria-label="{label}">{"".join(parts)}</svg>'
