"""What misim-orchestration writes into its report: pods on nodes and the use of pods, second by second."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from wavetank.microservices.misim.series import java_double
from wavetank.microservices.orchestration.config import OrchestrationConfig
from wavetank.microservices.orchestration.plane import PlaneReport

_TOTALS = ("Time", "Capacity", "Reserved", "#PodsOnNodes", "#PodsWaiting", "PercentageScheduledPods")


def write_reports(reports: Sequence[PlaneReport], config: OrchestrationConfig, folder: Path) -> None:
    """Writes scheduling_results.csv, a file for each node and a file for each deployment.

    Not written: the events of pods (node_pod_scheduler_events.csv), and the counts of internal events.
    """
    scheduling = folder / "orchestration" / "scheduling"
    capacity = java_double(float(sum(cpu for _, cpu in config.nodes)))
    _write(scheduling / "scheduling_results.csv", _TOTALS, (_totals(each, capacity) for each in reports))
    deployments = [each.name for each in config.deployments]
    for node in dict.fromkeys(node for each in reports for node in each.on_nodes):
        rows = ([each.second, *(_pods(each, node, name) for name in deployments)] for each in reports)
        _write(scheduling / "nodes_and_pods" / f"{node}_results.csv", ("Time", *deployments), rows)
    for name in deployments:
        _write_scaling(folder / "orchestration" / "scaling" / f"{name}.csv", name, reports)


def _pods(report: PlaneReport, node: str, deployment: str) -> int:
    return report.on_nodes.get(node, {}).get(deployment, 0)


def _totals(report: PlaneReport, capacity: str) -> list[object]:
    pods = report.placed + report.waiting
    share = report.placed / pods if pods else 0.0
    reserved = java_double(float(report.reserved))
    return [report.second, capacity, reserved, report.placed, report.waiting, java_double(share)]


def _write_scaling(path: Path, deployment: str, reports: Sequence[PlaneReport]) -> None:
    used = [report.backlogs.get(deployment, {}) for report in reports]
    pods = sorted({pod for each in used for pod in each})
    rows = []
    for report, named in zip(reports, used, strict=True):
        mean = sum(named.values()) / len(named) if named else 0.0
        cells = [java_double(named[pod]) if pod in named else "null" for pod in pods]
        rows.append([report.second, java_double(mean), len(named), *cells])
    _write(path, ("Time", "AvgConsumption", "#Pods", *(f"'{pod}'" for pod in pods)), rows)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        # as there, names of pods stand in quotes
        file.write(",".join(f'"{name}"' if name.startswith("'") else name for name in header) + "\n")
        writer.writerows(rows)
