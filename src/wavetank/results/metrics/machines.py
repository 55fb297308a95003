"""Figures of node groups: sizes, cost, flapping, interruptions, and the waiting that scaling caused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wavetank.cluster.objects.pod import FAILED
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.columns.decimals import NEVER, Integers
from wavetank.results.metrics.capacity import Capacity, capacity_over_time
from wavetank.results.metrics.cost import HOUR, PodCosts, Span, cost_of
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.recording.machines import RecordedMachine

SOON: Nanoseconds = 600 * SECOND  # within this time after a removal an order is flapping


@dataclass(frozen=True)
class GroupFigures:
    """The machines of one node group over a run."""

    name: str
    machines: Sequence[RecordedMachine]
    span: Span
    borne: float  # of its cost, by pods
    announced: float | None = None  # the price that the group states

    @property
    def cost(self) -> float:
        """Returns what its machines cost."""
        return sum(cost_of(machine, self.span) for machine in self.machines)

    @property
    def price(self) -> float | None:
        """Returns the price of its nodes, None if they differ."""
        prices = {machine.price for machine in self.machines if machine.node is not None} or {self.announced}
        return prices.pop() if len(prices) == 1 else None

    @property
    def has_prices(self) -> bool:
        """Tells whether the group or any of its nodes has a price."""
        return self.announced is not None or any(machine.price is not None for machine in self.machines)

    @property
    def node_hours(self) -> float:
        """Returns the time of all its nodes."""
        nodes = (machine for machine in self.machines if machine.node is not None)
        return sum(self.span.overlap(machine.node or 0, machine.gone) for machine in nodes) / HOUR

    @property
    def most_nodes(self) -> int:
        """Returns the most nodes at a time."""
        return most_nodes(self.machines)

    @property
    def failed(self) -> int:
        """Returns the machines that were given up before they became nodes."""
        return sum(machine.node is None and machine.removal is not None for machine in self.machines)

    @property
    def mean_boot_s(self) -> float | None:
        """Returns the mean time from order to ready node, without the nodes of the start."""
        booted = (machine for machine in self.machines if machine.ready is not None and machine.ordered > 0)
        times = [(machine.ready or 0) - machine.ordered for machine in booted]
        return sum(times) / len(times) / SECOND if times else None

    @property
    def interruptions(self) -> int:
        """Returns the machines that the cloud has taken back."""
        return sum(machine.notice is not None for machine in self.machines)

    @property
    def removed(self) -> int:
        """Returns the nodes that scaling removed."""
        return len(self._removals())

    @property
    def flaps(self) -> int:
        """Returns the removals that were undone: a machine was ordered within 10 minutes.

        An order counts for one removal. One that replaces an interrupted machine does not count.
        """
        orders = sorted(self._orders(), reverse=True)
        undone = 0
        for removal in sorted(self._removals()):
            while orders and orders[-1] <= removal:
                orders.pop()
            if orders and orders[-1] <= removal + SOON:
                orders.pop()
                undone += 1
        return undone

    def _removals(self) -> list[Nanoseconds]:
        nodes = (machine for machine in self.machines if machine.node is not None and machine.notice is None)
        return [machine.removal for machine in nodes if machine.removal is not None]

    def _orders(self) -> list[Nanoseconds]:
        """Returns the times of orders, without those that replace interrupted machines."""
        orders = [machine.ordered for machine in self.machines if machine.ordered > 0]
        for machine in self.machines:
            if machine.notice is not None and machine.removal in orders:
                orders.remove(machine.removal)
        return orders


class NodeFigures:
    """The nodes of a run: their groups and costs.

    The cost is that of the whole run if there are node groups, otherwise that of the busy span.
    """

    def __init__(self, pods: PodTable) -> None:
        self.pods = pods
        self.machines = pods.recorder.machines.machines
        self._prices = pods.recorder.machines.groups
        self.has_groups = bool(self._prices) or any(machine.group for machine in self.machines)
        prices = (*self._prices.values(), *(machine.price for machine in self.machines))
        self.has_prices = any(price is not None for price in prices)
        self.span = Span(0, pods.recorder.end) if self.has_groups else Span(*pods.busy_span())

    @cached_property
    def costs(self) -> PodCosts:
        """Returns the costs that pods bear."""
        return PodCosts(self.pods, self.machines, self.span)

    @cached_property
    def capacity(self) -> Capacity:
        """Returns capacity, demand and prices over time."""
        return capacity_over_time(self.machines, self.costs, self.span)

    @property
    def cost(self) -> float | None:
        """Returns what all nodes cost; None if none of them has a price."""
        return sum(cost_of(machine, self.span) for machine in self.machines) if self.has_prices else None

    @property
    def idle_cost(self) -> float | None:
        """Returns the cost that no pod bears."""
        borne = float(self.costs.costs.sum())
        return None if self.cost is None else max(self.cost - borne, 0.0)

    @property
    def node_hours(self) -> float:
        """Returns the time of all nodes, in hours."""
        nodes = ((machine.node, machine.gone) for machine in self.machines)
        return sum(self.span.overlap(node, gone) for node, gone in nodes if node is not None) / HOUR

    @cached_property
    def groups(self) -> list[GroupFigures]:
        """Returns the groups in the order of their creation; last the nodes without a group, if they cost."""
        names = list(dict.fromkeys((*self._prices, *(machine.group for machine in self.machines if machine.group))))
        if any(machine.price is not None and not machine.group for machine in self.machines):
            names.append("")
        borne = self._borne()
        machines: dict[str, list[RecordedMachine]] = {name: [] for name in names}
        for machine in self.machines:
            if machine.group in machines:
                machines[machine.group].append(machine)
        return [
            GroupFigures(name, of, self.span, borne.get(name, 0.0), self._prices.get(name))
            for name, of in machines.items()
        ]

    def _borne(self) -> Mapping[str, float]:
        borne: dict[str, float] = {}
        costs = self.costs
        sums = np.bincount(costs.codes, costs.costs, len(costs.machines))
        for machine, cost in zip(costs.machines, sums.tolist(), strict=True):
            if machine is not None:
                borne[machine.group] = borne.get(machine.group, 0.0) + cost
        return borne

    @cached_property
    def scaling_waits(self) -> Integers:
        """Returns how long pods waited for their node: from submission until it was ready, if it was not there yet."""
        ready = {machine.name: machine.ready for machine in self.machines if machine.group}
        since = self.pods.node.each(lambda name: ready.get(name) or 0, np.int64)
        waits = since - self.pods.submitted
        waited: Integers = waits[(self.pods.scheduled != NEVER) & (waits > 0)]
        return waited

    @cached_property
    def interrupted_pods(self) -> tuple[int, int]:
        """Returns how many pods interruptions ended, and how many of these no controller created again."""
        noticed = {each.name: each for each in self.machines if each.notice is not None}
        ended = self.pods.node.each(noticed.__contains__, np.bool_) & (self.pods.finished != NEVER)
        ended &= self.pods.phase.each(lambda phase: phase == FAILED, np.bool_)
        owned = []
        for i in np.flatnonzero(ended).tolist():
            row = self.pods.rows[i]
            machine = noticed[row.node]
            owner = machine.interrupted.get((row.namespace, row.name))
            if owner is not None and (row.finished or 0) >= (machine.notice or 0):
                owned.append(owner)
        return len(owned), owned.count(False)


def node_figures(pods: PodTable) -> NodeFigures | None:
    """Returns the figures of a run with node groups or prices, None for any other."""
    figures = NodeFigures(pods)
    return figures if figures.has_groups or figures.has_prices else None


def most_nodes(machines: Sequence[RecordedMachine]) -> int:
    """Returns the most nodes at a time."""
    changes = [(machine.node, 1) for machine in machines if machine.node is not None]
    changes += [(machine.gone, -1) for machine in machines if machine.node is not None and machine.gone is not None]
    present = most = 0
    for _, change in sorted(changes):
        present += change
        most = max(most, present)
    return most
