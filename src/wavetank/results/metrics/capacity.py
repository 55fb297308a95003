"""Capacity, demand and cost over time, of runs with node groups or prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wavetank.results.columns.decimals import NEVER, Integers
from wavetank.results.metrics.cost import HOUR, PodCosts, Span
from wavetank.results.metrics.steps import Change, FloatArray, Steps, edges_between
from wavetank.results.recording.machines import RecordedMachine
from wavetank.results.recording.recordedpods import RecordedPods

_MICRO = 1_000_000  # of prices, so that sums are exact
_COLUMNS = (
    "nodes",
    "booting",
    "cpu",
    "cpu_requested",
    "cpu_pending",
    "memory",
    "memory_requested",
    "memory_pending",
    "price",
    "borne",
)


@dataclass(frozen=True, slots=True)
class Capacity:
    """Means over equal stretches of time that begin at `time_ns`, by column, and the cost up to the end of each."""

    time_ns: Integers
    means: Mapping[str, FloatArray]
    cost: FloatArray
    idle_cpu_hours: float  # of cores


def capacity_over_time(machines: Sequence[RecordedMachine], costs: PodCosts, span: Span) -> Capacity:
    """Returns capacity, demand and prices over a stretch of time."""
    edges = edges_between(span.begin, span.end)
    steps = Steps([*_machine_changes(machines), *_pending_changes(costs.pods), *_bound_changes(costs)])
    means: dict[str, FloatArray] = {}
    for column in _COLUMNS:
        (means[column],) = steps.means(column, edges)
    for column in ("price", "borne"):
        means[column] = means[column] / _MICRO
    hours = np.diff(edges) / HOUR
    idle = np.maximum(means["cpu"] - means["cpu_requested"], 0) / 1000 * hours
    return Capacity(edges[:-1], means, np.cumsum(means["price"] * hours), float(idle.sum()))


def _machine_changes(machines: Sequence[RecordedMachine]) -> Iterator[Change]:
    ordered = np.array([machine.ordered for machine in machines], np.int64)
    node = np.array([NEVER if machine.node is None else machine.node for machine in machines], np.int64)
    gone = np.array([NEVER if machine.gone is None else machine.gone for machine in machines], np.int64)
    cpu, memory = (np.array([getattr(each, name) for each in machines], np.int64) for name in ("cpu", "memory"))
    price = np.array([round((each.price or 0.0) * _MICRO) for each in machines], np.int64)
    real = node != NEVER
    left = np.where(real, gone, NEVER)
    yield Change(ordered, booting=1)
    yield Change(np.where(real, node, gone), booting=-1)
    yield Change(node, nodes=1, cpu=cpu, memory=memory)
    yield Change(left, nodes=-1, cpu=-cpu, memory=-memory)
    yield Change(np.where(real, ordered, NEVER), price=price)
    yield Change(left, price=-price)


def _pending_changes(pods: RecordedPods) -> Iterator[Change]:
    yield Change(pods.submitted, cpu_pending=pods.cpu, memory_pending=pods.memory)
    left = np.where(pods.scheduled != NEVER, pods.scheduled, pods.finished)
    yield Change(left, cpu_pending=-pods.cpu, memory_pending=-pods.memory)


def _bound_changes(costs: PodCosts) -> Iterator[Change]:
    pods, rates = costs.pods, np.rint(costs.rates * _MICRO).astype(np.int64)
    yield Change(pods.scheduled, cpu_requested=pods.cpu, memory_requested=pods.memory, borne=rates)
    yield Change(costs.ends, cpu_requested=-pods.cpu, memory_requested=-pods.memory, borne=-rates)
