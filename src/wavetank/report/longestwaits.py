"""A table of the groups of pods with the longest waits; each leads to a pod in the Gantt chart."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from wavetank.report.page.parts import marked, scrolling, section
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.verdict.longestwaits import GroupWaits, longest_waits
from wavetank.results.verdict.phrases import duration

HEADS = ("Scheduler", "Pods of", "Pods", "Never bound", "Mean wait", "95 %", "Longest", "Its pod", "Why it waited")
WORDS = ("Pods of", "Its pod", "Why it waited")
LEAD = (
    "The longest waits by group, in the first seed of each scheduler. A pod belongs to the generator or workload that"
    " its name begins with, or to its namespace. A click on a pod shows it in the Gantt chart."
)


def longest_waits_section(folder: ResultsFolder) -> str:
    """Returns the section, nothing if no group of pods waits for a second in the mean."""
    runs = [run for name in folder.scheduler_names() for run in folder.runs_of(name)[:1]]
    rows = [(run, each) for run in runs for each in longest_waits(folder, run)]
    if not rows:
        return ""
    shown = [index for index in range(len(HEADS)) if index != HEADS.index("Never bound") or _any_never(rows)]
    head = "".join(f'<th scope="col"{_side(index)}>{HEADS[index]}</th>' for index in shown)
    body = "".join(_row(_cells(run, each), shown) for run, each in rows)
    table = f'<table class="numbers waits"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return section("longest-waits", "Longest waits", LEAD, scrolling(table))


def _any_never(rows: Sequence[tuple[RunFolder, GroupWaits]]) -> bool:
    return any(each.never for _, each in rows)


def _cells(run: RunFolder, each: GroupWaits) -> list[str]:
    view = urlencode({"run": f"{run.scheduler}/{run.seed}", "pod": each.pod})
    link = f'<a href="#{escape(view)}">{escape(each.pod.partition("/")[2])}</a>'
    times = [duration(each.mean), duration(each.p95), duration(each.longest)]
    return [
        escape(run.scheduler),
        escape(each.group),
        f"{each.pods:,}",
        f"{each.never:,}",
        *times,
        link,
        marked(each.reason),
    ]


def _row(cells: Sequence[str], shown: Sequence[int]) -> str:
    first, *rest = shown
    columns = "".join(f"<td{_side(index)}>{cells[index]}</td>" for index in rest)
    return f'<tr><th scope="row">{cells[first]}</th>{columns}</tr>'


def _side(column: int) -> str:
    return ' class="words"' if HEADS[column] in WORDS else ""
