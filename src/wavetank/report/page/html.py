"""The report of an experiment."""

from __future__ import annotations

from pathlib import Path

from wavetank.report.charts.autoscaling import has_autoscalers
from wavetank.report.charts.energy import has_energy
from wavetank.report.charts.nodes import has_nodes
from wavetank.report.charts.queues import has_queues
from wavetank.report.charts.services import has_services
from wavetank.report.comparison import comparison_cards, comparison_rows, comparison_table, verdict_list
from wavetank.report.longestwaits import longest_waits_section
from wavetank.report.page.facts import facts_line, scheduler_list, warnings_block
from wavetank.report.page.pagefile import asset, fill_page, write_page
from wavetank.report.page.payload import payload
from wavetank.results.layout import REPORT
from wavetank.results.read.resultsfolder import PodTables, ResultsFolder
from wavetank.results.verdict.comparison import compare
from wavetank.results.verdict.verdict import experiment_verdict

# Later scripts use earlier ones; the last starts the page.
CHART_SCRIPTS = (
    "js/charts/series",
    "js/charts/waiting",
    "js/gantt/stack",
    "js/gantt/colour",
    "js/gantt/model",
    "js/gantt/heat",
    "js/gantt/paint",
    "js/gantt/view",
    "js/gantt/gantt",
)
COMMON_SCRIPTS = (
    "js/page/format",
    "js/page/dom",
    "js/page/data",
    "js/page/axis",
    "js/page/downloads",
    "js/page/boxpicture",
    "js/page/svgcontext",
    "js/charts/axischart",
    "js/charts/linechart",
)
SCRIPTS = (*COMMON_SCRIPTS, *CHART_SCRIPTS, "js/page/theme", "js/main")
# Of runs with services, node groups or prices, autoscalers, queues: other pages have neither script nor section.
SERVICES, NODES, ENERGY, AUTOSCALING, QUEUES = "services", "nodes", "energy", "autoscaling", "queues"
SECTION_SCRIPTS = {
    SERVICES: ("js/services/graph", "js/services/heat", "js/services/waterfall", "js/services/services"),
    NODES: ("js/charts/nodes",),
    ENERGY: ("js/charts/energy",),
    AUTOSCALING: ("js/charts/autoscaling",),
    QUEUES: ("js/charts/queues",),
}
LONGEST_WAITS = "longest-waits"
SECTIONS = ("series", SERVICES, QUEUES, NODES, ENERGY, AUTOSCALING, "waiting", LONGEST_WAITS, "gantt")
# The section whose pictures show a metric best; of all others the first one is shown first.
SHOWN_BY = {
    "mean_waiting_time_s": "waiting",
    "failed_requests": SERVICES,
    "p99_response_time_s": SERVICES,
    "mean_admission_wait_s": QUEUES,
    "hpa_time_above_target_s": AUTOSCALING,
    "hpa_pod_hours": AUTOSCALING,
    "cost": NODES,
    "energy_kwh": ENERGY,
}
ALL_SCRIPTS = (*SCRIPTS[:-1], *(script for some in SECTION_SCRIPTS.values() for script in some), SCRIPTS[-1])


def write_report(out: Path, tables: PodTables | None = None) -> Path:
    """Writes `report.html` from the results in the folder `out` and returns its path.

    The page depends on the results only: the same folder gives the same bytes. `tables` of runs just made, by label,
    are used instead of the files that they have written.
    """
    return write_page(out / REPORT, _page(ResultsFolder(out, tables)))


_BEST = 'the difference from the <b class="badge best">best</b>'
_LEADS = {
    "one": f"Values of one seed, and {_BEST} value. Several seeds would show how much of a difference is chance.",
    "several": f"Means over the seeds with 95 % confidence intervals (Student’s t), and {_BEST} mean. ≈ means that the"
    " two do not differ significantly: their paired differences do not tell them apart (t-test at 5 %, by Holm’s rule"
    " for all pairs of schedulers).",
}


_ALONE = {
    "one": "Values of one seed. Several seeds would show how much of them is chance.",
    "several": "Means over the seeds with 95 % confidence intervals (Student’s t).",
}


def _lead(folder: ResultsFolder) -> str:
    leads = _LEADS if len(folder.experiment.schedulers) > 1 else _ALONE
    return leads["one" if len(folder.experiment.seeds) == 1 else "several"]


def _page(folder: ResultsFolder) -> str:
    comparisons = compare(folder)
    verdict = experiment_verdict(folder, comparisons)
    told = [finding.metric for finding in verdict.findings if finding.metric]
    slots = {
        "verdict": verdict_list(verdict),
        "facts": facts_line(folder.experiment),
        "warnings": warnings_block(folder.experiment.warnings),
        "schedulers": scheduler_list(folder.experiment),
        "lead": _lead(folder),
        "cards": comparison_cards(comparisons, told),
        "table": comparison_table(comparisons),
    }
    present = {
        SERVICES: has_services(folder),
        NODES: has_nodes(folder),
        ENERGY: has_energy(folder),
        AUTOSCALING: has_autoscalers(folder),
        QUEUES: has_queues(folder),
    }
    first, *others = _ordered([name for name in SECTIONS if present.get(name, True)], told)
    slots |= {"first": _section(folder, first), "sections": "".join(_section(folder, name) for name in others)}
    absent = {script for name, some in SECTION_SCRIPTS.items() if not present[name] for script in some}
    scripts = [name for name in ALL_SCRIPTS if name not in absent]
    styles = ["report.css", *(f"{name}.css" for name in (SERVICES, NODES) if present[name])]
    data = {**payload(folder), "tables": {"comparison-chart": comparison_rows(comparisons)}}
    return fill_page("template.html", folder.experiment.name, styles, scripts, data, slots)


def _ordered(sections: list[str], told: list[str]) -> list[str]:
    """Returns the sections, first the one that shows the metric of the most important finding."""
    first = SHOWN_BY.get(told[0], sections[0]) if told else sections[0]
    return sorted(sections, key=lambda name: name != first)


def _section(folder: ResultsFolder, name: str) -> str:
    return longest_waits_section(folder) if name == LONGEST_WAITS else asset(f"{name}.html")
