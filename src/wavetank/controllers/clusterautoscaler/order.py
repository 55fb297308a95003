"""What the real program leaves to chance: the order of its maps, and the choice between equal groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Protocol, TypeVar
from zlib import crc32

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod

T = TypeVar("T")
_SLOTS = 8  # of a group of a Go map


class Order(Protocol):
    """Decides what is a matter of chance. `begin` is called at the beginning of each loop.

    `is_random` tells that any order is as good as another, and that `packed_on` and `moved_to` name no node.
    """

    is_random: bool

    def begin(self) -> None:
        """Begins a loop."""

    def pods(self, pods: list[Pod], total: int) -> list[Pod]:
        """Returns pending pods in the order in which they are packed; `total` is the number of all pods."""

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
    """Draws every choice; the order of things is that of Go's maps."""

    is_random = True

    def __init__(self, draws: Random) -> None:
        self._draws = draws
        self._salt = draws.getrandbits(32)

    def begin(self) -> None:
        """Does nothing."""

    def pods(self, pods: list[Pod], total: int) -> list[Pod]:
        """Returns the pods in the order of a map of all pods."""
        return self._as_map(pods, [pod.uid for pod in pods], total)

    def nodes(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Yields the nodes in a random order; each is drawn when it is asked for."""
        left = list(nodes)
        while left:
            place = self._draws.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            yield left.pop()

    def removals(self, names: list[str]) -> list[str]:
        """Returns the names in the order of a map."""
        return self._as_map(names, names, len(names))

    def taints(self, names: list[str]) -> list[str]:
        """Returns the names in the order of a map."""
        return self._as_map(names, names, len(names))

    def group(self, ids: Sequence[str]) -> str:
        """Returns any of the groups."""
        return self._draws.choice(ids)

    def packed_on(self, pod: Pod) -> str:
        """Prefers no node."""
        return ""

    def moved_to(self, pod: Pod) -> str:
        """Prefers no node."""
        return ""

    def _as_map(self, items: list[T], keys: list[str], total: int) -> list[T]:
        return map_order(items, keys, total, self._salt, self._draws)


def map_order(items: Sequence[T], keys: Sequence[str], total: int, salt: int, draws: Random) -> list[T]:
    """Returns items in the order in which Go iterates over a map of `total` keys that these were put into in turn.

    A map has groups of eight slots. The hash of a key chooses the group, in which it takes the first free slot; an
    iteration begins at any slot. So new keys tend to come last, unlike in a random order.
    """
    groups = 1 if total <= _SLOTS else 1 << (-(-total // (_SLOTS - 1)) - 1).bit_length()
    first, slot = divmod(draws.randrange(groups * _SLOTS), _SLOTS)
    buckets: dict[int, list[T]] = {}  # by their distance from the first
    for item, key in zip(items, keys, strict=True):
        buckets.setdefault((crc32(key.encode(), salt) - first) % groups, []).append(item)
    begun = buckets.pop(0, [])
    around = [item for _, bucket in sorted(buckets.items()) for item in bucket]
    return [*begun[slot:], *around, *begun[:slot]]
