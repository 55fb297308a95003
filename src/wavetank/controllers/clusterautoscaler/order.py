"""What the real program leaves to chance: the order of its maps, and the choice between equal groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Protocol, TypeVar

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod

T = TypeVar("T")


class Order(Protocol):
    """Decides what is a matter of chance. `begin` is called at the beginning of each loop."""

    def begin(self) -> None:
        """Begins a loop."""

    def pods(self, pods: list[Pod]) -> list[Pod]:
        """Returns pending pods in the order in which they are packed."""

    def nodes(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Yields nodes in the order in which they are looked at."""

    def removals(self, names: list[str]) -> list[str]:
        """Returns the nodes that could be removed now in the order in which they are."""

    def taints(self, names: list[str]) -> list[str]:
        """Returns unneeded nodes in the order in which they are tainted."""

    def group(self, ids: Sequence[str]) -> str:
        """Returns one of several equally good groups."""

    def packed_on(self, pod: Pod) -> str:
        """Returns the node on which a pending pod is tried first, or an empty string."""

    def moved_to(self, pod: Pod) -> str:
        """Returns the node on which a pod of a node to remove is tried first, or an empty string."""


class RandomOrder:
    """Draws every order and every choice."""

    def __init__(self, draws: Random) -> None:
        self._draws = draws

    def begin(self) -> None:
        """Does nothing."""

    def pods(self, pods: list[Pod]) -> list[Pod]:
        """Returns the pods in a random order."""
        return self._shuffled(pods)

    def nodes(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Yields the nodes in a random order; each is drawn when it is asked for."""
        left = list(nodes)
        while left:
            place = self._draws.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            yield left.pop()

    def removals(self, names: list[str]) -> list[str]:
        """Returns the names in a random order."""
        return self._shuffled(names)

    def taints(self, names: list[str]) -> list[str]:
        """Returns the names in a random order."""
        return self._shuffled(names)

    def group(self, ids: Sequence[str]) -> str:
        """Returns any of the groups."""
        return self._draws.choice(ids)

    def packed_on(self, pod: Pod) -> str:
        """Prefers no node."""
        return ""

    def moved_to(self, pod: Pod) -> str:
        """Prefers no node."""
        return ""

    def _shuffled(self, items: list[T]) -> list[T]:
        return self._draws.sample(items, len(items))
