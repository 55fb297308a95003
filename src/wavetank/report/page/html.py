"""The report of an experiment."""

from __future__ import annotations

from pathlib import Path

from wavetank.report.charts.autoscaling import has_autoscalers
from wavetank.report.charts.energy import has_energy
from wavetank.report.charts.nodes import has_nodes
from wavetank.report.charts.queues import has_queues
from wavetank.report.charts.services import has_services
from wavetank.report.comparison import comparison_cards, comparison_table
from wavetank.report.metrics import compare
from wavetank.report.page.facts import facts_line, scheduler_list, warnings_block
from wavetank.report.page.pagefile import asset, fill_page, write_page
from wavetank.report.page.payload import payload
from wavetank.results.layout import REPORT
from wavetank.results.read.resultsfolder import PodTables, ResultsFolder

# Later scripts use earlier ones; the last starts the page.
CHART_SCRIPTS = ("js/series", "js/waiting", "js/gantt-model", "js/gantt-heat", "js/gantt-paint", "js/gantt-view")
SCRIPTS = ("js/format", "js/dom", "js/data", "js/linechart", *CHART_SCRIPTS, "js/theme", "js/main")
# Of runs with services, node groups or prices, autoscalers, queues: other pages have neither script nor section.
SERVICES, NODES, ENERGY, AUTOSCALING, QUEUES = "services", "nodes", "energy", "autoscaling", "queues"
SECTION_SCRIPTS = {
    SERVICES: ("js/services-graph", "js/services-heat", "js/services-waterfall", "js/services"),
    NODES: ("js/nodes",),
    ENERGY: ("js/energy",),
    AUTOSCALING: ("js/autoscaling",),
    QUEUES: ("js/queues",),
}
ALL_SCRIPTS = (*SCRIPTS[:-1], *(script for some in SECTION_SCRIPTS.values() for script in some), SCRIPTS[-1])


def write_report(out: Path, tables: PodTables | None = None) -> Path:
    """Writes `report.html` from the results in the folder `out` and returns its path.

    The page depends on the results only: the same folder gives the same bytes. `tables` of runs just made, by label,
    are used instead of the files that they have written.
    """
    return write_page(out / REPORT, _page(ResultsFolder(out, tables)))


def _page(folder: ResultsFolder) -> str:
    comparisons = compare(folder)
    slots = {
        "facts": facts_line(folder.experiment),
        "warnings": warnings_block(folder.experiment.warnings),
        "schedulers": scheduler_list(folder.experiment),
        "cards": comparison_cards(comparisons),
        "table": comparison_table(comparisons),
    }
    present = {
        SERVICES: has_services(folder),
        NODES: has_nodes(folder),
        ENERGY: has_energy(folder),
        AUTOSCALING: has_autoscalers(folder),
        QUEUES: has_queues(folder),
    }
    slots |= {name: asset(f"{name}.html") if there else "" for name, there in present.items()}
    absent = {script for name, some in SECTION_SCRIPTS.items() if not present[name] for script in some}
    scripts = [name for name in ALL_SCRIPTS if name not in absent]
    styles = ["report.css", *(f"{name}.css" for name in (SERVICES, NODES) if present[name])]
    return fill_page("template.html", folder.experiment.name, styles, scripts, payload(folder), slots)
