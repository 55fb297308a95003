from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from wavetank.cluster.objects.podspec import HostPort

ANY_ADDRESS = "0.0.0.0"


class PortTable:
    """Which host ports are in use in which slot."""

    def __init__(self) -> None:
        self._used: defaultdict[tuple[str, int], Counter[tuple[str, int]]] = defaultdict(Counter)

    def add(self, ports: Iterable[HostPort], slot: int, number: int = 1) -> None:
        """Counts a use of ports in a slot; `number` -1 frees them."""
        for label_key, protocol, port in ports:
            users = self._used[protocol, port]
            users[label_key, slot] += number
            if not users[label_key, slot]:
                del users[label_key, slot]

    def conflicts(self, ports: Iterable[HostPort]) -> Iterator[int]:
        """Yields the slots in which one of the ports is taken."""
        for label_key, protocol, port in ports:
            for used, slot in self._used.get((protocol, port), ()):
                if ANY_ADDRESS in (label_key, used) or used == label_key:
                    yield slot


def ports_clash(wanted: Iterable[HostPort], used: Iterable[HostPort]) -> bool:
    """Returns whether two sets of host ports cannot be had on one node."""
    table = PortTable()
    table.add(used, 0)
    return next(table.conflicts(wanted), None) is not None
