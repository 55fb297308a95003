"""Results in a notebook."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from wavetank.report.comparison import comparison_table
from wavetank.report.page.facts import seeds_text
from wavetank.report.page.parts import items
from wavetank.results.columns.decimals import Floats
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.verdict.comparison import compare
from wavetank.results.verdict.verdict import experiment_verdict

WIDTH, HEIGHT = 240, 32  # of a sparkline, in pixels
HEAD = "<tr><th>Scheduler</th><th>CPU utilisation over time (0–100 %), first seed</th></tr>"


def notebook_html(out: Path) -> str:
    """Returns a fragment of HTML: the comparison, and the CPU utilisation of each scheduler's first seed."""
    folder = ResultsFolder(out)
    compared = compare(folder)
    comparisons = [each for each in compared if each.metric.heading]
    runs = [run for name in folder.scheduler_names() for run in folder.runs_of(name)[:1]]
    title, seeds = escape(folder.experiment.name), escape(seeds_text(folder.experiment.seeds))
    return (
        '<div class="wavetank">'
        f"<ul>{items(experiment_verdict(folder, compared).sentences)}</ul>"
        f"<p><strong>{title}</strong>: mean ± half-width of the 95 % confidence interval over {seeds}</p>"
        f"{comparison_table(comparisons)}"
        f"<table><thead>{HEAD}</thead><tbody>{''.join(_row(folder, run) for run in runs)}</tbody></table>"
        "</div>"
    )


def _row(folder: ResultsFolder, run: RunFolder) -> str:
    time, cpu = folder.utilization(run)[:2]
    return f"<tr><td>{escape(run.scheduler)}</td><td>{_sparkline(time, np.nan_to_num(cpu))}</td></tr>"


def _sparkline(time: Floats, share: Floats) -> str:
    """Returns a line of shares (0..1) over time as SVG."""
    mean = float(share.mean()) if len(share) else 0.0
    base = HEIGHT - 1
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="CPU utilisation, mean {mean:.0%}">'
        f'<line x1="0" x2="{WIDTH}" y1="{base}" y2="{base}" stroke="currentColor" stroke-opacity=".3"/>'
        f'<polyline points="{_points(time, share)}" fill="none" stroke="#0072b2" stroke-width="1.5"/></svg>'
    )


def _points(time: Floats, share: Floats) -> str:
    span = float(np.ptp(time)) if len(time) > 1 else 1.0
    x = (time - time[:1]) / (span or 1.0) * WIDTH
    y = HEIGHT - 1 - np.clip(share, 0, 1) * (HEIGHT - 2)
    return " ".join(f"{left:.1f},{top:.1f}" for left, top in zip(x, y, strict=True))
