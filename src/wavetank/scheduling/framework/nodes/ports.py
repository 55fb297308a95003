from __future__ import annotations

from collections.abc import Iterable, Iterator

from wavetank.cluster.objects.podspec import HostPort

ANY_ADDRESS = "0.0.0.0"


class PortTable:
    """Which host ports are in use in which slot."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, int], dict[tuple[str, int], int]] = {}  # by protocol and port: address and slot

    def add(self, ports: Iterable[HostPort], slot: int, number: int = 1) -> None:
        """Counts a use of ports in a slot; `number` -1 frees them."""
        for address, protocol, port in ports:
            users = self._used.setdefault((protocol, port), {})
            left = users.get((address, slot), 0) + number
            if left:
                users[address, slot] = left
                continue
            del users[address, slot]
            if not users:
                del self._used[protocol, port]

    def conflicts(self, ports: Iterable[HostPort]) -> Iterator[int]:
        """Yields the slots in which one of the ports is taken."""
        for address, protocol, port in ports:
            for used, slot in self._used.get((protocol, port), ()):
                if ANY_ADDRESS in (address, used) or used == address:
                    yield slot


def ports_clash(wanted: Iterable[HostPort], used: Iterable[HostPort]) -> bool:
    """Returns whether two sets of host ports cannot be had on one node."""
    table = PortTable()
    table.add(used, 0)
    return next(table.conflicts(wanted), None) is not None
