"""The comparison of the schedulers for the terminal."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from wavetank.report.comparison import heading, rows_of
from wavetank.report.facts import seeds_text
from wavetank.report.folder import ResultsFolder
from wavetank.report.metrics import MAIN_METRICS, Cell, Comparison, compare


def summary_table(out: Path) -> Table:
    """Returns a row per scheduler with mean ± half-width of the 95 % interval; `*` marks the best mean."""
    folder = ResultsFolder(out)
    comparisons = [each for each in compare(folder) if each.metric.key in MAIN_METRICS]
    seeds = seeds_text(folder.experiment.seeds)
    caption = f"mean ± half-width of the 95 % confidence interval over {seeds}; * best mean"
    table = Table(title=Text(folder.experiment.name), caption=caption)
    table.add_column("Scheduler", no_wrap=True)
    for comparison in comparisons:
        table.add_column(Text(heading(comparison)), justify="right")
    for cells in rows_of(comparisons):
        table.add_row(Text(cells[0].scheduler), *map(_text, comparisons, cells))
    return table


def _text(comparison: Comparison, cell: Cell) -> Text:
    """Returns a cell as Text: names and numbers are never read as rich's markup."""
    best = cell.verdict == "best"
    words = [comparison.text(cell), comparison.footnote(cell), "*" if best else ""]
    return Text(" ".join(filter(None, words)), style="bold" if best else "")
