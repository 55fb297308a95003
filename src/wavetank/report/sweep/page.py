from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wavetank.report.comparison import verdict_list
from wavetank.report.page.facts import warnings_block
from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.page.parts import items
from wavetank.report.sweep.costs import cost_rows, cost_section, ranked_costs
from wavetank.report.sweep.verdicts import untold
from wavetank.results.layout import REPORT
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.schema import CLOSE_RATE, QUANTILES, Column, reported_metrics
from wavetank.results.verdict.sweep import sweep_verdict
from wavetank.words import counted

# Shared ones first; the last starts the page.
SCRIPTS = (
    "js/page/format",
    "js/page/dom",
    "js/page/downloads",
    "js/page/boxpicture",
    "js/page/theme",
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
    ranked = ranked_costs(folder)
    costs = cost_section(ranked)
    slots = {
        "facts": _facts(folder),
        "verdict": verdict_list(sweep_verdict(folder)),
        "warnings": warnings_block(folder.facts.failures),
        "costs": costs,
    }
    styles = ["report.css", "sweep/sweep.css", *(["sweep/costs.css"] if costs else [])]
    data = {**_payload(folder), "tables": {"cost-chart": cost_rows(ranked)} if ranked else {}}
    page = fill_page("sweep/template.html", folder.facts.name, styles, SCRIPTS, data, slots)
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
        "untold": [
            [scenarios[row["scenario"]], row["metric"], schedulers[row["a"]], schedulers[row["b"]], text]
            for row, text in _untold(folder)
        ],
    }


def _untold(folder: SweepFolder) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields the comparisons with the best of a scenario that the seeds cannot decide, and the words for them."""
    better = {metric.name: metric.better for metric in reported_metrics()}
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in folder.comparisons:
        groups.setdefault((row["scenario"], row["metric"]), []).append(row)
    for (_, metric), rows in groups.items():
        means = {row[side]: row[f"mean_{side}"] for row in rows for side in ("a", "b")}
        best = (max if better.get(metric) == "higher" else min)(means, key=lambda name: means[name])
        for row in rows:
            if best in (row["a"], row["b"]) and row["significant"] == "no" and (row["low"] or row["high"]):
                needed = row.get("seeds_to_tell")  # results of earlier versions lack the column
                yield row, untold(None if needed is None else int(needed))


def _described(metric: Column) -> dict[str, str]:
    return {"key": metric.name, "label": metric.label, "kind": metric.kind, "better": metric.better}


def _number(value: int | float | None) -> float | None:
    return None if value is None else float(value)
