from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.framework.nodes.kernels import add_up, at

NO_DOMAIN = -1


class Domains:
    """The domain of every slot, or NO_DOMAIN; `version` grows when the domain of a slot changes."""

    def __init__(self, domains: IntArray) -> None:
        self.domains = domains
        self.version = 0

    def __len__(self) -> int:
        raise NotImplementedError


class Topology(Domains):
    """The domains of one topology key; nodes without that label have none. There is room for `slots` of them."""

    def __init__(self, key: str, nodes: Sequence[Node | None], slots: int = 0) -> None:
        super().__init__(np.full(max(16, slots, 2 * len(nodes)), NO_DOMAIN, np.int64))
        self.key = key
        self._numbers: dict[str, int] = {}
        for slot, node in enumerate(nodes):
            self.set_node(slot, node)

    def __len__(self) -> int:
        return len(self._numbers)

    def set_node(self, slot: int, node: Node | None) -> None:
        """Sets a node's label; None if the node was deleted."""
        if slot >= len(self.domains):
            more = 2 * slot - len(self.domains) + 1
            self.domains = np.pad(self.domains, (0, more), constant_values=NO_DOMAIN)
        value = node.labels.get(self.key) if node is not None else None
        number = NO_DOMAIN if value is None else self._numbers.setdefault(value, len(self._numbers))
        if number != self.domains[slot]:
            self.domains[slot] = number
            self.version += 1


class DomainSubset(Domains):
    """A topology of some of the nodes: the others have no domain. `present` are the domains with nodes."""

    def __init__(self, topology: Topology) -> None:
        super().__init__(np.zeros(0, np.int64))
        self.topology = topology
        self.present: IntArray = np.zeros(0, np.int64)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def keep(self, inside: BoolArray) -> None:
        """Sets the nodes, by a mask over slots."""
        domains = np.where(inside, self.topology.domains[: len(inside)], NO_DOMAIN)
        if self._size != len(self.topology) or not np.array_equal(domains, self.domains):
            self._size = len(self.topology)
            self.domains = domains
            self.present = np.unique(domains[domains >= 0])
            self.version += 1


class DomainTotals:
    """Numbers by slot, added up by domain: updated by each change, not recounted.

    `present` is the unweighted total over all domains.
    """

    __slots__ = ("_version", "domains", "present", "totals")

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self.totals: IntArray = np.zeros(0, np.int64)
        self.present = 0
        self._version = -1

    @property
    def is_outdated(self) -> bool:
        """Returns whether nodes have changed their domains, so that the totals have to be computed again."""
        return self._version != self.domains.version

    def copy(self) -> DomainTotals:
        """Returns the present totals, which do not change any more."""
        new = DomainTotals(self.domains)
        new.totals, new.present, new._version = self.totals.copy(), self.present, self._version
        return new

    def reset(self) -> None:
        """Sets all totals to 0."""
        self._version = self.domains.version
        self.totals = np.zeros(len(self.domains), np.int64)
        self.present = 0

    def add(self, slot: int, number: int, weight: int = 1) -> None:
        """Adds a number to the total of a slot's domain."""
        domains = self.domains.domains
        if self._version == self.domains.version and slot < len(domains):
            domain = domains[slot]
            if domain >= 0:
                self.totals[domain] += number * weight
                self.present += number

    def count(self, counts: IntArray) -> None:
        """Computes the totals of these counts by slot."""
        self._version = self.domains.version
        self.totals = add_up(self.domains.domains, len(self.domains), counts)
        self.present = int(self.totals.sum())

    def at(self, nodes: IntArray) -> IntArray:
        """Returns the number of each node's domain, 0 without one."""
        found: IntArray = at(self.totals, self.domains.domains, nodes)
        return found


class TopologyTable:
    """The topologies that are in use, kept up to date."""

    def __init__(self) -> None:
        self.changes = 0  # the number of changes of nodes
        self._topologies: dict[str, Topology] = {}
        self._nodes: list[Node | None] = []
        self._labels: tuple[int, set[str]] | None = None  # of all nodes, as of so many changes

    def of(self, key: str) -> Topology:
        """Returns the topology of a label key."""
        topology = self._topologies.get(key)
        if topology is None:
            topology = self._topologies[key] = Topology(key, self._nodes)
        return topology

    def labels(self) -> set[str]:
        """Returns the labels that any node has: the topology of another one has no domain."""
        if self._labels is None or self._labels[0] != self.changes:
            found = set().union(*(node.labels for node in self._nodes if node is not None))
            self._labels = (self.changes, found)
        return self._labels[1]

    def with_all(self, keys: Set[str]) -> BoolArray:
        """Returns the same as `having`, for so many labels that their topologies should not be kept."""
        return np.array([node is not None and keys <= node.labels.keys() for node in self._nodes], np.bool_)

    def present(self, keys: Set[str]) -> Mapping[str, Topology]:
        """Returns the topologies of very many keys as they are now; they are not kept up to date."""
        found = {key: Topology(key, (), len(self._nodes)) for key in keys}
        for slot, node in enumerate(self._nodes):
            if node is not None:
                for key in keys & node.labels.keys():
                    found[key].set_node(slot, node)
        return found

    def having(self, keys: Iterable[str]) -> BoolArray:
        """Returns which slots have nodes with all of these labels."""
        inside = np.ones(len(self._nodes), np.bool_)
        for key in keys:
            inside &= self.of(key).domains[: len(inside)] >= 0
        return inside

    def set_node(self, slot: int, node: Node | None) -> None:
        """Sets a node's labels; None if the node was deleted."""
        self.changes += 1
        if slot >= len(self._nodes):
            self._nodes.extend([None] * (slot + 1 - len(self._nodes)))
        self._nodes[slot] = node
        for topology in self._topologies.values():
            topology.set_node(slot, node)
