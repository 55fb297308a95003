"""What nodes cost, and how that is divided among pods and namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wavetank.cluster.objects.pod import SUCCEEDED
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.columns.decimals import NEVER, Integers
from wavetank.results.metrics.steps import FloatArray
from wavetank.results.recording.machines import RecordedMachine
from wavetank.results.recording.recordedpods import RecordedPods

HOUR = 3600 * SECOND


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time."""

    begin: Nanoseconds
    end: Nanoseconds

    def overlap(self, begin: Nanoseconds, end: Nanoseconds | None) -> Nanoseconds:
        """Returns how much of the time from `begin` to `end` (None: to the end of the stretch) lies in it."""
        last = self.end if end is None else min(end, self.end)
        return max(last - max(begin, self.begin), 0)


def cost_of(machine: RecordedMachine, span: Span) -> float:
    """Returns what a machine costs in a stretch of time: from its order until it is gone, if it became a node."""
    if machine.price is None or machine.node is None:
        return 0.0
    return machine.price * span.overlap(machine.ordered, machine.gone) / HOUR


class PodCosts:
    """The part of the nodes' cost that pods bear, from their binding to their end.

    A pod bears the mean of its shares of the node's allocatable CPU and memory, by its requests; what no pod bears is
    idle. `rates` are prices per hour of each pod, `begins` and `ends` the time for which it pays, -1 if never.
    """

    def __init__(self, pods: RecordedPods, machines: Sequence[RecordedMachine], span: Span) -> None:
        self.pods = pods
        by_name = {machine.name: machine for machine in machines}
        nodes = [by_name.get(name) for name in pods.node.values]
        codes = pods.node.codes
        self.machines = nodes
        self.codes = codes
        shares = (_shares(pods.cpu, nodes, codes, "cpu") + _shares(pods.memory, nodes, codes, "memory")) / 2
        price = np.array([(node.price or 0.0) if node is not None else 0.0 for node in nodes])
        self.rates: FloatArray = shares * price[codes] if len(codes) else np.zeros(0)
        gone = np.array([span.end if each is None or each.gone is None else each.gone for each in nodes], np.int64)
        ended = np.where(pods.finished == NEVER, span.end, pods.finished)
        self.begins = pods.scheduled
        self.ends: Integers = np.where(pods.scheduled == NEVER, NEVER, _bounded(ended, gone, codes, pods.scheduled))
        paid = np.minimum(self.ends, span.end) - np.maximum(self.begins, span.begin)
        self.costs: FloatArray = self.rates * np.where(self.begins == NEVER, 0, np.maximum(paid, 0)) / HOUR

    def by_namespace(self) -> Mapping[str, NamespaceCost]:
        """Returns the costs of namespaces by name, the most expensive first."""
        pods = self.pods
        names, codes = pods.namespace.values, pods.namespace.codes
        costs = np.bincount(codes, self.costs, len(names))
        counts = np.bincount(codes, minlength=len(names))
        done = pods.phase.each(lambda phase: phase == SUCCEEDED, np.bool_)
        finished = np.bincount(codes[done], minlength=len(names))
        rows = {name: NamespaceCost(int(counts[i]), int(finished[i]), float(costs[i])) for i, name in enumerate(names)}
        return dict(sorted(rows.items(), key=lambda row: (-row[1].cost, row[0])))


@dataclass(frozen=True, slots=True)
class NamespaceCost:
    """What the pods of a namespace cost."""

    pods: int
    finished: int
    cost: float

    @property
    def per_finished_pod(self) -> float | None:
        """Returns the cost divided by the pods that succeeded."""
        return self.cost / self.finished if self.finished else None


def _shares(requested: Integers, nodes: Sequence[RecordedMachine | None], codes: Integers, resource: str) -> FloatArray:
    """Returns the share of the node that each pod requests; 0 if the node has nothing of it."""
    amounts = np.array([getattr(node, resource) if node is not None else 0 for node in nodes], np.float64)
    having = amounts[codes] if len(codes) else np.zeros(0)
    return np.divide(requested, having, out=np.zeros(len(codes)), where=having > 0)


def _bounded(ended: Integers, gone: Integers, codes: Integers, begun: Integers) -> Integers:
    bounded: Integers = np.maximum(np.minimum(ended, gone[codes] if len(codes) else ended), begun)
    return bounded
