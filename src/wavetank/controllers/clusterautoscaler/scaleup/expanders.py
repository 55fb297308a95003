"""Which of several groups grows: a chain of filters, and a random choice among what they leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wavetank.cluster.fields.resources import CPU, MEMORY, parse_amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.events import EventWriter
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroup
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import Order
from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.controllers.clusterautoscaler.scaleup.priorities import PriorityList
from wavetank.controllers.clusterautoscaler.templates import NodeTemplate


@dataclass(frozen=True, slots=True)
class ExpansionOption:
    """A group that could grow by `nodes`, for the pods that would then fit."""

    group: NodeGroup
    nodes: int
    pods: Sequence[Pod]
    template: NodeTemplate


_Options = list[ExpansionOption]
_Filter = Callable[[_Options, LoopReport], _Options]


class ExpanderChain:
    """Filters options by each expander of the list in turn; a tie that is left is broken at random."""

    def __init__(self, store: Store, options: Options, order: Order, events: EventWriter) -> None:
        self._priorities = PriorityList(store, options.namespace, events)
        self._order = order
        filters: Mapping[str, _Filter] = {
            "random": self._one_of,
            "most-pods": _most_pods,
            "least-waste": _least_waste,
            "least-nodes": _least_nodes,
            "priority": self._highest_priority,
            "price": _cheapest,
        }
        self._filters = [filters[name] for name in options.expander]

    def best(self, options: _Options, report: LoopReport) -> ExpansionOption:
        """Returns one of the options."""
        for keep in self._filters:
            options = keep(options, report)
            if len(options) == 1:
                break
        report.tied = tuple(option.group.id for option in options)
        return self._one_of(options, report)[0]

    def _one_of(self, options: _Options, report: LoopReport) -> _Options:
        if len(options) == 1:
            return options
        chosen = self._order.group([option.group.id for option in options])
        return [option for option in options if option.group.id == chosen]

    def _highest_priority(self, options: _Options, report: LoopReport) -> _Options:
        kept = self._priorities.highest([option.group.id for option in options])
        return [option for option in options if option.group.id in kept]


def _most_pods(options: _Options, report: LoopReport) -> _Options:
    most = max(len(option.pods) for option in options)
    return [option for option in options if len(option.pods) == most]


def _least_nodes(options: _Options, report: LoopReport) -> _Options:
    least = min(option.nodes for option in options)
    return [option for option in options if option.nodes == least]


def _least_waste(options: _Options, report: LoopReport) -> _Options:
    """Keeps the options with the smallest sum of unused shares of CPU and memory capacity; ties are exact."""
    wastes = []
    for option in options:
        capacity = _capacity(option.template.node)
        cpu, memory = (_wasted(option, capacity.get(resource, 0), resource) for resource in (CPU, MEMORY))
        wastes.append(cpu + memory)
        report.waste[option.group.id] = (cpu, memory, (cpu + memory) / 2)
    least = min(wastes)
    return [option for option, waste in zip(options, wastes, strict=True) if waste == least]


def _wasted(option: ExpansionOption, capacity: int, resource: str) -> float:
    available = capacity * option.nodes
    requested = sum(pod.requests.get(resource, 0) for pod in option.pods)
    return (available - requested) / available if available else 0.0


def _capacity(node: Node) -> Mapping[str, int]:
    return parse_amounts((node.manifest.get("status") or {}).get("capacity")) or node.allocatable


def _cheapest(options: _Options, report: LoopReport) -> _Options:
    """Keeps the options with the lowest price per pod helped; groups without a price only if none has one."""
    priced = [option for option in options if option.group.price is not None]
    if not priced:
        return options
    costs = [(option.group.price or 0.0) * option.nodes / len(option.pods) for option in priced]
    return [option for option, cost in zip(priced, costs, strict=True) if cost == min(costs)]
