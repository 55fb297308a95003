from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.cycle.kernels import add_up, at
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray

NO_DOMAIN = -1


class Domains:
    """For every slot the number of its domain, or NO_DOMAIN; `version` grows when a slot comes into another."""

    def __init__(self, domains: IntArray) -> None:
        self.domains = domains
        self.version = 0

    def __len__(self) -> int:
        raise NotImplementedError


class Topology(Domains):
    """The domains of one topology key: nodes without that label have none."""

    def __init__(self, key: str, nodes: Sequence[Node | None]) -> None:
        super().__init__(np.full(max(16, 2 * len(nodes)), NO_DOMAIN, np.int64))
        self.key = key
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
        number = NO_DOMAIN if value is None else self._numbers.setdefault(value, len(self._numbers))
        if number != self.domains[slot]:
            self.domains[slot] = number
            self.version += 1


class Part(Domains):
    """A topology among some of the nodes only: the others have no domain. `present` are the domains that have nodes."""

    def __init__(self, topology: Topology) -> None:
        super().__init__(np.zeros(0, np.int64))
        self.topology = topology
        self.present: IntArray = np.zeros(0, np.int64)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def keep(self, inside: BoolArray) -> None:
        """Keeps the nodes in the slots marked here, and no others."""
        domains = np.where(inside, self.topology.domains[: len(inside)], NO_DOMAIN)
        if self._size != len(self.topology) or not np.array_equal(domains, self.domains):
            self._size = len(self.topology)
            self.domains = domains
            self.present = np.unique(domains[domains >= 0])
            self.version += 1


class DomainTotals:
    """Numbers of single slots, added up by domain: they follow what comes and goes, and are never recounted for it.

    `present` is how many there are in any domain, whatever they weigh.
    """

    __slots__ = ("_version", "domains", "present", "totals")

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self.totals: IntArray = np.zeros(0, np.int64)
        self.present = 0
        self._version = -1

    @property
    def is_outdated(self) -> bool:
        """Tells whether nodes have changed their domains, so that all has to be added up again."""
        return self._version != self.domains.version

    def copy(self) -> DomainTotals:
        """Returns the totals of this moment, which follow nothing."""
        new = DomainTotals(self.domains)
        new.totals, new.present, new._version = self.totals.copy(), self.present, self._version
        return new

    def reset(self) -> None:
        """Begins again with nothing."""
        self._version = self.domains.version
        self.totals = np.zeros(len(self.domains), np.int64)
        self.present = 0

    def add(self, slot: int, number: int, weight: int = 1) -> None:
        """Counts so many more in a slot."""
        domains = self.domains.domains
        if self._version == self.domains.version and slot < len(domains):
            domain = domains[slot]
            if domain >= 0:
                self.totals[domain] += number * weight
                self.present += number

    def count(self, counts: IntArray) -> None:
        """Begins again with these counts by slot."""
        self._version = self.domains.version
        self.totals = add_up(self.domains.domains, len(self.domains), counts)
        self.present = int(self.totals.sum())

    def at(self, nodes: IntArray) -> IntArray:
        """Returns the number of each node's domain, 0 without one."""
        found: IntArray = at(self.totals, self.domains.domains, nodes)
        return found


class TopologyTable:
    """The topologies that somebody has asked for, kept up to date."""

    def __init__(self) -> None:
        self.changes = 0  # how often a node has come, changed or gone
        self._topologies: dict[str, Topology] = {}
        self._nodes: list[Node | None] = []

    def of(self, key: str) -> Topology:
        """Returns the topology of a label key."""
        topology = self._topologies.get(key)
        if topology is None:
            topology = self._topologies[key] = Topology(key, self._nodes)
        return topology

    def having(self, keys: Iterable[str]) -> BoolArray:
        """Returns which slots have nodes with all of these labels."""
        inside = np.ones(len(self._nodes), np.bool_)
        for key in keys:
            inside &= self.of(key).domains[: len(inside)] >= 0
        return inside

    def set_node(self, slot: int, node: Node | None) -> None:
        """Takes over a node's labels; None: the node is gone."""
        self.changes += 1
        if slot >= len(self._nodes):
            self._nodes.extend([None] * (slot + 1 - len(self._nodes)))
        self._nodes[slot] = node
        for topology in self._topologies.values():
            topology.set_node(slot, node)
