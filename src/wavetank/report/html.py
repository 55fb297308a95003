"""The report of an experiment."""

from __future__ import annotations

from pathlib import Path

from wavetank.report.comparison import comparison_cards, comparison_table
from wavetank.report.facts import facts_line, scheduler_list, warnings_block
from wavetank.report.folder import ResultsFolder
from wavetank.report.metrics import compare
from wavetank.report.pagefile import fill_page, write_page
from wavetank.report.payload import payload

SCRIPTS = (
    "format",
    "dom",
    "data",
    "chart",
    "series",
    "waiting",
    "gantt-model",
    "gantt-heat",
    "gantt-paint",
    "gantt-view",
    "theme",
    "main",
)


def write_report(out: Path) -> Path:
    """Writes `report.html` from the results in the folder `out` and returns its path.

    The page depends on the results only: the same folder gives the same bytes.
    """
    return write_page(out / "report.html", _page(ResultsFolder(out)))


def _page(folder: ResultsFolder) -> str:
    comparisons = compare(folder)
    slots = {
        "facts": facts_line(folder.experiment),
        "warnings": warnings_block(folder.experiment.warnings),
        "schedulers": scheduler_list(folder.experiment),
        "cards": comparison_cards(comparisons),
        "table": comparison_table(comparisons),
    }
    scripts = [f"js/{name}" for name in SCRIPTS]
    return fill_page("template.html", folder.experiment.name, ["report.css"], scripts, payload(folder), slots)
