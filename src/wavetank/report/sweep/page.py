from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from wavetank.report.metrics import METRICS
from wavetank.report.page.facts import warnings_block
from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.sweep.folder import SweepFolder

# Shared ones first; the last starts the page.
SCRIPTS = (
    "js/format",
    "js/dom",
    "js/theme",
    "sweep/data",
    "sweep/heat",
    "sweep/boxes",
    "sweep/pareto",
    "sweep/numbers",
    "sweep/main",
)
_CLOSE_RATE = {"key": "close_rate", "label": "CloseRate", "kind": "ratio", "better": "lower"}


def write_sweep_report(out: Path) -> Path:
    """Writes `report.html` of a sweep and returns its path; the same results give the same bytes."""
    folder = SweepFolder(out)
    slots = {"facts": _facts(folder), "warnings": warnings_block(folder.facts.failures)}
    styles = ["report.css", "sweep/sweep.css"]
    page = fill_page("sweep/template.html", folder.facts.name, styles, SCRIPTS, _payload(folder), slots)
    return write_page(out / "report.html", page)


def _facts(folder: SweepFolder) -> str:
    scenarios = folder.facts.scenarios
    facts = [
        f"{len(scenarios)} scenario{'s' if len(scenarios) != 1 else ''}",
        f"{len(folder.schedulers)} schedulers",
        f"{len(folder.rows):,} runs",
        f"wavetank {folder.facts.wavetank}",
    ]
    return "".join(f"<li>{escape(fact)}</li>" for fact in facts)


def _payload(folder: SweepFolder) -> dict[str, Any]:
    """Returns what the page draws: names once, and then numbers."""
    schedulers = {name: i for i, name in enumerate(folder.schedulers)}
    scenarios = {scenario.name: i for i, scenario in enumerate(folder.facts.scenarios)}
    metrics = [_described(metric.key) for metric in METRICS if any(metric.key in row for row in folder.rows)]
    metrics.append(_CLOSE_RATE)
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
        "metrics": metrics,
        "rows": [
            [scenarios[row["scenario"]], schedulers[row["scheduler"]], int(row["seed"])]
            + [row.get(metric["key"]) for metric in metrics]
            for row in folder.rows
        ],
        "boxes": [
            [
                scenarios[row["scenario"]],
                schedulers[row["scheduler"]],
                *(row[f"p{share}"] for share in (0, 5, 25, 50, 75, 95, 100)),
            ]
            for row in folder.boxes
        ],
        "significant": [
            [scenarios[row["scenario"]], row["metric"], schedulers[row["a"]], schedulers[row["b"]]]
            for row in folder.comparisons
            if row["significant"] == "yes"
        ],
    }


def _described(key: str) -> dict[str, str]:
    (metric,) = (each for each in METRICS if each.key == key)
    return {"key": metric.key, "label": metric.label, "kind": metric.kind, "better": metric.better}
