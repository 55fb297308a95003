"""The verdict of a sweep for the terminal."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.verdict.sweep import ranking, told_apart
from wavetank.words import counted

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
    return f"by mean job latency over {counted(seeds, 'seed')}; × is CloseRate; = not significantly worse"


def verdicts(folder: SweepFolder) -> list[list[str]]:
    """Returns the texts of a row per scenario, in the order of HEAD."""
    return [_verdict(folder, scenario.name) for scenario in folder.facts.scenarios]


def _verdict(folder: SweepFolder, scenario: str) -> list[str]:
    means = ranking(folder, scenario)
    if not means:
        return [scenario, "none finished all pods", "", "", ""]
    (best, latency), *others = means
    rated = [(name, value / latency if latency else 1.0) for name, value in others]
    following = ", ".join(_mark(folder, scenario, best, name, rate) for name, rate in rated[: _SHOWN - 1])
    worst = f"{rated[-1][0]} ×{rated[-1][1]:.2f}" if rated else ""
    return [scenario, best, f"{latency:,.1f} s", following, worst]


def _mark(folder: SweepFolder, scenario: str, best: str, name: str, rate: float) -> str:
    same = told_apart(folder, scenario, best, name) is False
    return f"{name} ×{rate:.2f}{' =' if same else ''}"
