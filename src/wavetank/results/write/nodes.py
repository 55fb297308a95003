"""The files of a run with node groups or prices: node_timeline, node_groups, namespace_costs and capacity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results import schema
from wavetank.results.metrics.capacity import Capacity
from wavetank.results.metrics.cost import Span, cost_of
from wavetank.results.metrics.machines import GroupFigures, NodeFigures
from wavetank.results.recording.machines import RecordedMachine
from wavetank.results.write.csvfiles import write_rows

_AS_THEY_ARE = ("nodes", "booting")
_CAPACITY = {
    "cpu": "cpu_milli",
    "cpu_requested": "cpu_requested_milli",
    "cpu_pending": "cpu_pending_milli",
    "memory": "memory_bytes",
    "memory_requested": "memory_requested_bytes",
    "memory_pending": "memory_pending_bytes",
    "price": "price",
}


def write_nodes(figures: NodeFigures, folder: Path) -> None:
    """Writes the tables of a run."""
    write_rows(folder, schema.NODE_TIMELINE, [_machine_row(each, figures.span) for each in figures.machines])
    write_rows(folder, schema.CAPACITY, list(_capacity_rows(figures.capacity)))
    write_rows(folder, schema.NODE_GROUPS, [_group_row(group) for group in figures.groups])
    if figures.has_prices:
        costs = figures.costs.by_namespace()
        rows = [
            {
                "namespace": name,
                "pods": each.pods,
                "finished_pods": each.finished,
                "cost": _rounded(each.cost),
                "cost_per_finished_pod": _rounded(each.per_finished_pod),
            }
            for name, each in costs.items()
        ]
        write_rows(folder, schema.NAMESPACE_COSTS, rows)


def _machine_row(machine: RecordedMachine, span: Span) -> Mapping[str, object]:
    return {
        "name": machine.name,
        "group": machine.group,
        "ordered_s": _seconds(machine.ordered),
        "node_s": _seconds(machine.node),
        "ready_s": _seconds(machine.ready),
        "notice_s": _seconds(machine.notice),
        "removal_s": _seconds(machine.removal),
        "gone_s": _seconds(machine.gone),
        "price": _rounded(machine.price),
        "cost": _rounded(cost_of(machine, span)) if machine.price is not None else None,
        "cpu_milli": machine.cpu,
        "memory_bytes": machine.memory,
    }


def _group_row(group: GroupFigures) -> Mapping[str, object]:
    priced = group.has_prices
    hours = (group.span.end - group.span.begin) / SECOND / 3600
    return {
        "group": group.name,
        "price": _rounded(group.price),
        "mean_nodes": _rounded(group.node_hours / hours if hours else 0.0),
        "most_nodes": group.most_nodes,
        "node_hours": _rounded(group.node_hours),
        "cost": _rounded(group.cost) if priced else None,
        "idle_cost": _rounded(max(group.cost - group.borne, 0.0)) if priced else None,
        "ordered": sum(machine.ordered > 0 for machine in group.machines),
        "failed": group.failed,
        "mean_boot_s": _rounded(group.mean_boot_s),
        "removed": group.removed,
        "flaps": group.flaps,
        "interruptions": group.interruptions,
    }


def _capacity_rows(capacity: Capacity) -> Iterator[Mapping[str, object]]:
    idle = (capacity.means["price"] - capacity.means["borne"]).clip(0)
    for i, time in enumerate(capacity.time_ns.tolist()):
        yield {
            "time_s": _seconds(time),
            **{name: _rounded(float(capacity.means[name][i])) for name in _AS_THEY_ARE},
            **{column: _rounded(float(capacity.means[name][i])) for name, column in _CAPACITY.items()},
            "idle_price": _rounded(float(idle[i])),
            "cost": _rounded(float(capacity.cost[i])),
        }


def _seconds(time: Nanoseconds | None) -> str | None:
    return None if time is None else _rounded(time / SECOND)


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:.6f}".rstrip("0").rstrip(".")
