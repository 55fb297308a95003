"""The verdict of a sweep for the terminal."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.report.sweep.verdicts import UNTOLD, untold_mark
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.verdict.ranking import RankedScheduler, rank

HEAD = ("Scenario", "Best", "Latency", "Next", "Worst")
_SHOWN = 3


def sweep_table(out: Path) -> Table:
    """Returns a row per scenario: the schedulers with the lowest mean job latency, and how far the worst is off."""
    folder = SweepFolder(out)
    table = Table(title=Text(folder.facts.name), caption=caption(folder), box=box.SIMPLE_HEAD, pad_edge=False)
    for name in HEAD:
        table.add_column(name, justify="right" if name == "Latency" else "left", overflow="fold")
    for row in verdicts(folder):
        table.add_row(*map(Text, row))
    return table


def caption(folder: SweepFolder) -> str:
    """Returns what the columns mean."""
    seeds = len(folder.facts.scenarios[0].seeds) if folder.facts.scenarios else 0
    if seeds == 1:
        return "by mean job latency of one seed, which cannot tell whether a difference is chance; × is CloseRate"
    doubts = any("(?" in cell for row in verdicts(folder) for cell in row)
    return f"by mean job latency over {seeds} seeds; × is CloseRate{f'; {UNTOLD}' if doubts else ''}"


def verdicts(folder: SweepFolder) -> list[list[str]]:
    """Returns the texts of a row per scenario, in the order of HEAD."""
    return [_verdict(folder, scenario.name, len(scenario.seeds)) for scenario in folder.facts.scenarios]


def _verdict(folder: SweepFolder, scenario: str, seeds: int) -> list[str]:
    ranking = rank(folder, scenario)
    if not ranking:
        return [scenario, "none finished all pods", "", "", ""]
    best, *others = ranking
    marks = [_rated(each, seeds) for each in others]
    following, worst = ", ".join(marks[: _SHOWN - 1]), marks[-1] if marks else ""
    return [scenario, best.scheduler, f"{best.mean_job_latency_s:,.1f} s", following, worst]


def _rated(each: RankedScheduler, seeds: int) -> str:
    doubtful = each.verdict == "cannot tell" and seeds > 1  # of one seed the caption says it
    mark = untold_mark(each.seeds_to_tell) if doubtful else " (equal)" if each.verdict == "equal" else ""
    return f"{each.scheduler} ×{each.close_rate:.2f}{mark}"
