"""How far a simulation is from a real run: for the terminal, as plain data, and as a page with a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wavetank.report.accuracypicture import curve_rows, curves_picture, job_rows, jobs_picture
from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.page.parts import SCRIPTS, STYLES, drawing, items, rows_table, section
from wavetank.results.compare.accuracy import Accuracy, JobError, Measure
from wavetank.words import counted

MOST_JOBS = 10


def accuracy_view(accuracy: Accuracy, most: int = MOST_JOBS) -> RenderableType:
    """Returns the errors to print on a terminal, with the jobs that are furthest off."""
    parts: list[RenderableType] = [_table("How far the simulation is off", _HEADS, _rows(accuracy.measures))]
    parts += [Text(f"• {sentence}") for sentence in sentences(accuracy)]
    if most and accuracy.jobs:
        parts.append(_table("Jobs that are furthest off", _JOB_HEADS, _job_rows(accuracy.jobs[:most])))
    return Group(*parts)


def accuracy_data(accuracy: Accuracy) -> dict[str, Any]:
    """Returns everything as plain data, for JSON; times are in seconds, errors and parts are shares."""
    return {
        "real": [run.label for run in accuracy.real],
        "simulated": [run.label for run in accuracy.simulated],
        "measures": {each.label: {**each._asdict(), "error": each.error} for each in accuracy.measures},
        "pods": {
            "matched": accuracy.matched,
            "only_real": accuracy.only_real,
            "only_simulated": accuracy.only_simulated,
        },
        "placement": {"same_node": accuracy.same_node, "moved": accuracy.moved},
        "jobs": [{**job._asdict(), "off": job.off} for job in accuracy.jobs],
    }


def write_accuracy_page(accuracy: Accuracy, path: Path) -> Path:
    """Writes the page and returns its path; the same results give the same bytes."""
    real, simulated = accuracy.real, accuracy.simulated
    facts = [
        f"real: {', '.join(run.label for run in real)}",
        f"simulated: {', '.join(run.label for run in simulated)}",
        f"{accuracy.matched:,} pods in both",
    ]
    body = [
        section("errors", "Errors", " ".join(sentences(accuracy)), rows_table(_HEADS, _rows(accuracy.measures))),
        section("finished", _FINISHED, _CURVES, drawing("finished-pods", _FINISHED, curves_picture(accuracy))),
        section("waits", _BY_JOB, _WAITS, drawing("waits-of-jobs", _BY_JOB, jobs_picture(accuracy.jobs))),
        section("jobs", "Jobs that are furthest off", "", rows_table(_JOB_HEADS, _job_rows(accuracy.jobs[:MOST_JOBS]))),
    ]
    slots = {"facts": items(facts), "warnings": "", "body": "".join(body)}
    data = {"tables": {"finished-pods": curve_rows(accuracy), "waits-of-jobs": job_rows(accuracy.jobs)}}
    page = fill_page("planning/template.html", "Real and simulated", STYLES, SCRIPTS, data, slots)
    return write_page(path, page)


def sentences(accuracy: Accuracy) -> list[str]:
    """Says what was found about the pods and their nodes."""
    found = [
        f"{accuracy.same_node:.0%} of {counted(accuracy.matched, 'pod')} are on the same node.",
        f"{accuracy.moved:.1%} would have to move for every node to have as many pods as in the real run.",
    ]
    if accuracy.only_real or accuracy.only_simulated:
        found.append(f"Only real: {accuracy.only_real} pods; only simulated: {accuracy.only_simulated}.")
    return found


_FINISHED, _BY_JOB = "Pods finished over time", "Waits, job by job"
_CURVES = "One line per run. Where the lines lie on each other, the simulation is right about when work is done."
_WAITS = "One point per job: its wait in the real run, and its mean wait in the simulation. On the line both are equal."
_HEADS = ("", "Real [s]", "Simulated [s]", "Error")
_JOB_HEADS = ("Job", "Wait, real [s]", "Simulated [s]", "Turnaround, real [s]", "Simulated [s]", "Off by [s]")


def _rows(measures: Sequence[Measure]) -> list[tuple[str, ...]]:
    return [(each.label, _figure(each.real), _figure(each.simulated), _share(each.error)) for each in measures]


def _job_rows(jobs: Sequence[JobError]) -> list[tuple[str, ...]]:
    return [(job.job, *map(_figure, job[1:]), f"{job.off:+.3f}") for job in jobs]


def _figure(value: float) -> str:
    return f"{value:,.3f}"


def _share(error: float | None) -> str:
    return "–" if error is None else f"{error:+.1%}"


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
