"""The comparison of the schedulers for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.report.comparison import rows_of
from wavetank.report.page.facts import seeds_text
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.verdict.comparison import Cell, Comparison, compare


def summary_table(out: Path) -> Table:
    """Returns a row per scheduler with mean ±half-width of the 95 % interval; `*` marks the best mean."""
    folder = ResultsFolder(out)
    comparisons = [each for each in compare(folder) if each.metric.heading]
    table = Table(title=Text(folder.experiment.name), caption=_caption(folder.experiment.seeds), box=box.SIMPLE_HEAD)
    table.pad_edge, table.collapse_padding = False, True
    table.add_column("Scheduler", overflow="fold")
    for comparison in comparisons:
        label = comparison.metric.heading + (f"\n[{comparison.unit}]" if comparison.unit else "")
        table.add_column(Text(label), justify="right", overflow="fold")
    for cells in rows_of(comparisons):
        table.add_row(Text(cells[0].scheduler), *map(_text, comparisons, cells))
    return table


def _caption(seeds: Sequence[int]) -> str:
    if len(seeds) == 1:
        return f"{seeds_text(seeds)}; * best"
    return f"mean ±half-width, 95 % confidence, {seeds_text(seeds)}; * best mean"


def _text(comparison: Comparison, cell: Cell) -> Text:
    """Returns a cell as Text, so that nothing is read as rich's markup: the mean, below it the half-width."""
    best = cell.verdict == "best"
    mean, half_width = (cell.interval.mean, cell.interval.half_width) if cell.interval else (None, None)
    spread = "" if half_width is None else f"±{comparison.number(half_width)}"
    words = [comparison.number(mean) + ("*" if best else ""), spread, comparison.footnote(cell)]
    return Text("\n".join(filter(None, words)), style="bold" if best else "")
