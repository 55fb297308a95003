"""The domains of a topology: a tree with the nodes of one flavor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wavetank.cluster.fields.resources import PODS, Amounts
from wavetank.cluster.objects.karpenter import HOSTNAME
from wavetank.cluster.objects.node import Node
from wavetank.controllers.kueue.topology.requests import Values

_MANY = 2**31 - 1  # pods in a domain, if they request nothing


class Domain:
    """A domain of one level; `pods` is how many of a request fit, then how many of them it gets."""

    __slots__ = ("children", "parent", "pods", "values")

    def __init__(self, values: Values, parent: Domain | None) -> None:
        self.values = values
        self.parent = parent
        self.children: list[Domain] = []
        self.pods = 0


class Leaf(Domain):
    """A domain of the lowest level: a node, or several; `free` is what is left by others than Kueue's workloads."""

    __slots__ = ("free", "node", "used")

    def __init__(self, values: Values, parent: Domain | None, node: Node | None) -> None:
        super().__init__(values, parent)
        self.node = node  # if the lowest level is the node
        self.free: dict[str, int] = {}
        self.used: dict[str, int] = {}

    def remaining(self, empty: bool = False) -> dict[str, int]:
        """Returns what is free; `empty`: as if no workload of Kueue were there."""
        if empty or not self.used:
            return self.free
        used = self.used
        return {name: amount - used.get(name, 0) for name, amount in self.free.items()}


class DomainTree:
    """The domains of a topology over the nodes of a flavor that are ready, schedulable and have all its labels."""

    def __init__(self, levels: tuple[str, ...], nodes: Iterable[Node]) -> None:
        self.levels = levels
        self.is_of_nodes = levels[-1] == HOSTNAME
        self.by_level: list[dict[Values, Domain]] = [{} for _ in levels]
        self.leaves: dict[Values, Leaf] = {}
        self._leaf_of: dict[str, Leaf] = {}
        for node in nodes:
            self._add(node)

    def _add(self, node: Node) -> None:
        values = tuple(node.labels[level] for level in self.levels)
        key = self.key(values)
        leaf = self.leaves.get(key)
        if leaf is None:
            leaf = Leaf(values, self._parent(values), node if self.is_of_nodes else None)
            self.leaves[key] = leaf
            self.by_level[-1][values] = leaf
            if leaf.parent is not None:
                leaf.parent.children.append(leaf)
        _shift(leaf.free, node.allocatable, 1)
        self._leaf_of[node.name] = leaf

    def _parent(self, values: Values) -> Domain | None:
        if len(values) == 1:
            return None
        above = values[:-1]
        level = self.by_level[len(above) - 1]
        if above not in level:
            parent = self._parent(above)
            level[above] = Domain(above, parent)
            if parent is not None:
                parent.children.append(level[above])
        return level[above]

    def key(self, values: Values) -> Values:
        """Returns what names a domain of the lowest level in assignments: of nodes only the last value."""
        return values[-1:] if self.is_of_nodes else values

    def occupy(self, values: Values, total: Amounts, sign: int = 1) -> None:
        """Adds what pods of workloads occupy of a domain; nothing if its nodes are gone."""
        leaf = self.leaves.get(values)
        if leaf is not None:
            _shift(leaf.used, total, sign)

    def reduce(self, node: str, requests: Amounts, sign: int = 1) -> bool:
        """Takes away what another pod occupies of a node; False if the node is none of the flavor's."""
        leaf = self._leaf_of.get(node)
        if leaf is None:
            return False
        _shift(leaf.free, requests, -sign)
        _shift(leaf.free, {PODS: 1}, -sign)
        return True

    def roots(self) -> Iterator[Domain]:
        """Yields the domains of the highest level."""
        yield from self.by_level[0].values()


def count_in(requests: Amounts, capacity: Mapping[str, int]) -> tuple[int, str]:
    """Returns how often requests fit into a capacity, and the resource that limits it."""
    least: int | None = None
    limit = ""
    for name, amount in requests.items():
        if name not in capacity and amount:
            return 0, name
        # as Go divides: towards zero
        count = _MANY if not amount else abs(capacity[name]) // amount * (1 if capacity[name] >= 0 else -1)
        if least is None or count < least or (count == least and name < limit):
            least, limit = count, name
    return least or 0, limit


def _shift(amounts: dict[str, int], change: Amounts, sign: int) -> None:
    for name, amount in change.items():
        amounts[name] = amounts.get(name, 0) + sign * amount
