from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wavetank.cluster.node import Node
from wavetank.scheduling.framework.arrays import IntArray

NO_DOMAIN = -1


class Topology:
    """The domains of one topology key: for every slot the number of its domain, NO_DOMAIN without that label."""

    def __init__(self, key: str, nodes: Sequence[Node | None]) -> None:
        self.key = key
        self.domains: IntArray = np.full(max(16, 2 * len(nodes)), NO_DOMAIN, np.int64)
        self._numbers: dict[str, int] = {}
        for slot, node in enumerate(nodes):
            self.set_node(slot, node)

    def __len__(self) -> int:
        return len(self._numbers)

    def set_node(self, slot: int, node: Node | None) -> None:
        """Takes over a node's label; None: the node is gone."""
        if slot >= len(self.domains):
            more = 2 * slot - len(self.domains) + 1
            self.domains = np.pad(self.domains, (0, more), constant_values=NO_DOMAIN)
        value = node.labels.get(self.key) if node is not None else None
        self.domains[slot] = NO_DOMAIN if value is None else self._numbers.setdefault(value, len(self._numbers))

    def totals(self, counts: IntArray, slots: IntArray) -> IntArray:
        """Adds up `counts`, one per slot of `slots`, by domain; those without a domain are left out."""
        domains = self.domains[slots]
        inside = domains >= 0
        sums = np.bincount(domains[inside], weights=counts[inside], minlength=len(self))
        return sums.astype(np.int64)


class TopologyTable:
    """The topologies that somebody has asked for, kept up to date."""

    def __init__(self) -> None:
        self._topologies: dict[str, Topology] = {}
        self._nodes: list[Node | None] = []

    def of(self, key: str) -> Topology:
        """Returns the topology of a label key."""
        if key not in self._topologies:
            self._topologies[key] = Topology(key, self._nodes)
        return self._topologies[key]

    def set_node(self, slot: int, node: Node | None) -> None:
        """Takes over a node's labels; None: the node is gone."""
        self._nodes.extend([None] * (slot + 1 - len(self._nodes)))
        self._nodes[slot] = node
        for topology in self._topologies.values():
            topology.set_node(slot, node)
