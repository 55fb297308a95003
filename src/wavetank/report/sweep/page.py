from __future__ import annotations

from pathlib import Path
from typing import Any

from wavetank.report.comparison import verdict_list
from wavetank.report.page.facts import warnings_block
from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.page.parts import items
from wavetank.report.sweep.costs import cost_section
from wavetank.results.layout import REPORT
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.schema import CLOSE_RATE, QUANTILES, Column, reported_metrics
from wavetank.results.verdict.sweep import sweep_verdict
from wavetank.words import counted

# Shared ones first; the last starts the page.
SCRIPTS = (
    "js/format",
    "js/dom",
    "js/downloads",
    "js/theme",
    "sweep/data",
    "sweep/heat",
    "sweep/boxes",
    "sweep/pareto",
    "sweep/numbers",
    "sweep/main",
)


def write_sweep_report(out: Path) -> Path:
    """Writes `report.html` of a sweep and returns its path; the same results give the same bytes."""
    folder = SweepFolder(out)
    costs = cost_section(folder)
    slots = {
        "facts": _facts(folder),
        "verdict": verdict_list(sweep_verdict(folder)),
        "warnings": warnings_block(folder.facts.failures),
        "costs": costs,
    }
    styles = ["report.css", "sweep/sweep.css", *(["sweep/costs.css"] if costs else [])]
    page = fill_page("sweep/template.html", folder.facts.name, styles, SCRIPTS, _payload(folder), slots)
    return write_page(out / REPORT, page)


def _facts(folder: SweepFolder) -> str:
    scenarios = folder.facts.scenarios
    facts = [
        counted(len(scenarios), "scenario"),
        counted(len(folder.schedulers), "scheduler"),
        counted(len(folder.rows), "run"),
        f"wavetank {folder.facts.wavetank}",
    ]
    return items(facts)


def _payload(folder: SweepFolder) -> dict[str, Any]:
    """Returns what the page draws: names once, and then numbers."""
    schedulers = {name: i for i, name in enumerate(folder.schedulers)}
    scenarios = {scenario.name: i for i, scenario in enumerate(folder.facts.scenarios)}
    known = [metric for metric in reported_metrics() if any(metric.name in row for row in folder.rows)]
    metrics = [*known, CLOSE_RATE]
    return {
        "scenarios": [
            {
                "name": each.name,
                "nodes": each.nodes,
                "workload": each.workload,
                "pods": each.pods,
                "schedulers": [schedulers[one.name] for one in each.schedulers],
            }
            for each in folder.facts.scenarios
        ],
        "schedulers": [{"name": name, "description": text} for name, text in folder.descriptions().items()],
        "metrics": [_described(metric) for metric in metrics],
        "rows": [
            [scenarios[row["scenario"]], schedulers[row["scheduler"]], int(row["seed"])]
            + [_number(row.get(metric.name)) for metric in metrics]
            for row in folder.rows
        ],
        "boxes": [
            [
                scenarios[row["scenario"]],
                schedulers[row["scheduler"]],
                *(row[f"p{share}"] for share in QUANTILES),
            ]
            for row in folder.latencies
        ],
        "significant": [
            [scenarios[row["scenario"]], row["metric"], schedulers[row["a"]], schedulers[row["b"]]]
            for row in folder.comparisons
            if row["significant"] == "yes"
        ],
    }


def _described(metric: Column) -> dict[str, str]:
    return {"key": metric.name, "label": metric.label, "kind": metric.kind, "better": metric.better}


def _number(value: int | float | None) -> float | None:
    return None if value is None else float(value)
