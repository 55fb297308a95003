"""What each node lacks for a pod: the answers of all filters, not only of the first that rejects it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.fields.resources import PODS
from wavetank.results.attempts.explanation import Refusal
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import FilterPlugin
from wavetank.scheduling.plugins.noderesources.fit import TOO_MANY_PODS


@dataclass(frozen=True, slots=True)
class Shortage:
    """A resource of which a node has too little: what the pod requests and what is free, of `allocatable` in all."""

    resource: str
    requested: int
    free: int
    allocatable: int

    @property
    def missing(self) -> int:
        """Returns by how much it falls short."""
        return self.requested - self.free

    @property
    def share(self) -> float:
        """Returns the missing share of the request."""
        return self.missing / self.requested


@dataclass(slots=True)
class RefusedNode:
    """A node with all that keeps a pod off it; `lasting` counts the reasons that no eviction would remove."""

    name: str
    refusals: list[Refusal] = field(default_factory=list)
    shortages: Sequence[Shortage] = ()
    lasting: int = 0

    @property
    def distance(self) -> tuple[int, int, float]:
        """Returns how far it is from taking the pod: reasons that last, all reasons, the largest missing share."""
        reasons = sum(len(refusal.reasons) for refusal in self.refusals)
        return self.lasting, reasons, max((each.share for each in self.shortages), default=0.0)


def refused_nodes(cycle: Cycle, known: Mapping[str, Refusal]) -> list[RefusedNode]:
    """Asks every filter about every node; the nearest nodes come first, nodes without a refusal not at all.

    `known` are refusals of the attempt itself, for nodes that no filter alone rejects. There is nothing to say if the
    pod was rejected as a whole.
    """
    outcome = Outcome()
    cycle.table.begin_cycle()
    names, blamed = cycle.pre_filter(outcome)
    if outcome.pre_filter is not None:
        return []
    order = cycle.table.order
    found = {slot: RefusedNode(cycle.name_of(slot)) for slot in order.tolist()}
    if names is not None:
        refusal = Refusal(" ".join(sorted(blamed)), ("node(s) didn't satisfy its demand for certain nodes",))
        for node in found.values():
            if node.name not in names:
                node.refusals.append(refusal)
                node.lasting += 1
    for _, plugin in cycle.plan.filter:
        if plugin.name not in cycle.skipped:
            _ask(cycle, plugin, order, found)
    for slot, node in found.items():
        if not node.refusals and node.name in known:
            node.refusals.append(known[node.name])
        node.shortages = _shortages(cycle, slot, {text for each in node.refusals for text in each.reasons})
    return sorted((node for node in found.values() if node.refusals), key=lambda node: node.distance)


def _ask(cycle: Cycle, plugin: FilterPlugin, order: IntArray, found: Mapping[int, RefusedNode]) -> None:
    codes = plugin.filter(cycle, order)
    for slot, code in zip(order.tolist(), codes.tolist(), strict=True):
        if code:
            reasons = plugin.reasons(cycle, code)
            found[slot].refusals.append(Refusal(plugin.name, tuple(reason.text for reason in reasons)))
            found[slot].lasting += sum(not reason.resolvable for reason in reasons)


def _shortages(cycle: Cycle, slot: int, reasons: Collection[str]) -> list[Shortage]:
    """Returns the resources that the reasons name, with what the node has of them."""
    table, requests = cycle.table, cycle.pod.requests
    short = []
    for name in (name for name in requests if f"Insufficient {name}" in reasons):
        row = table.rows[name]
        has = int(table.allocatable[row, slot])
        short.append(Shortage(name, requests[name], has - int(table.requested[row, slot]), has))
    if TOO_MANY_PODS.text in reasons:
        most = int(table.max_pods[slot])
        short.append(Shortage(PODS, 1, most - int(table.pod_count[slot]), most))
    return short
