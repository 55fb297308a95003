"""Limits of CPU and memory of the whole cluster."""

from __future__ import annotations

from collections.abc import Iterable

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.node import Node
from wavetank.controllers.clusterautoscaler.options import Options

_MILLI = 1000


class QuotaTracker:
    """How many more nodes the limits of CPU and memory allow; nodes to come are counted like present ones."""

    def __init__(self, options: Options, nodes: Iterable[Node]) -> None:
        nodes = list(nodes)
        self._left = {
            CPU: options.cores_total.most - sum(cores_of(node) for node in nodes),
            MEMORY: options.memory_total.most - sum(memory_of(node) for node in nodes),
        }

    def allowed(self, node: Node, wanted: int) -> int:
        """Returns how many of the wanted nodes may be added."""
        asked = {CPU: cores_of(node), MEMORY: memory_of(node)}
        limits = [max(self._left[name], 0) // amount for name, amount in asked.items() if amount]
        return min([wanted, *limits])

    def exceeded(self, node: Node) -> list[str]:
        """Returns the resources of which there is not enough left for one node."""
        asked = {CPU: cores_of(node), MEMORY: memory_of(node)}
        return [name for name, amount in asked.items() if amount > self._left[name]]


def cores_of(node: Node) -> int:
    """Returns the whole CPUs of a node."""
    return node.allocatable.get(CPU, 0) // _MILLI


def memory_of(node: Node) -> int:
    """Returns the memory of a node in bytes."""
    return node.allocatable.get(MEMORY, 0)
