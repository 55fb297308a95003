"""How many connections a server keeps open."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection
from typing import Protocol, runtime_checkable

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

_MOST_FILES = 65_536  # descriptors that a server asks for
_OTHER_FILES = 64  # descriptors that are not connections of clients
_SILENCE_S = 10.0  # between two lines in the log

_log = logging.getLogger("wavetank.apiserver")


@runtime_checkable
class Connection(Protocol):
    """A connection that may have to give way; `active` is when its last request began."""

    active: float
    transport: asyncio.Transport

    @property
    def is_idle(self) -> bool:
        """Tells whether no request is being answered."""


class ConnectionLimit:
    """Keeps so few connections that descriptors are left for other files; `most` None: what the system allows.

    `silent` are tasks of connections that have sent nothing yet, the oldest first; they are cancelled first.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._told = -_SILENCE_S
        self.silent: dict[asyncio.Task[None], None] = {}

    def raise_to_system(self) -> None:
        """Asks the system for as many descriptors as it allows, up to a limit."""
        if resource is not None:
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
            if soft < wanted:
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

    def make_room(self, connections: Collection[object]) -> bool:
        """Closes the connection that was without a request for longest, if there are too many; False if none was."""
        if not self.is_reached(connections):
            return True
        if self.silent:
            oldest = next(iter(self.silent))
            del self.silent[oldest]
            oldest.cancel()
            self.tell("one that has sent nothing is closed")
            return True
        others = (each for each in connections if isinstance(each, Connection))
        idle = [each for each in others if each.is_idle and not each.transport.is_closing()]
        if not idle:
            self.tell("a new one is refused, since none is idle")
            return False
        min(idle, key=lambda each: each.active).transport.abort()
        self.tell("the one that was idle for longest is closed")
        return True

    def is_reached(self, connections: Collection[object]) -> bool:
        """Tells whether there are as many connections as there may be."""
        return len(connections) + len(self.silent) >= self.most

    @property
    def most(self) -> int:
        """Returns the number of connections that leave descriptors for other files."""
        if self._most is None:
            files = _MOST_FILES if resource is None else resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            self._most = files - min(_OTHER_FILES, files // 2)
        return self._most

    def tell(self, what: str) -> None:
        """Writes a line into the log, but not too many of them."""
        now = time.monotonic()
        if now - self._told >= _SILENCE_S:
            self._told = now
            _log.warning("as many connections are open as open files allow (%d, see ulimit -n): %s", self.most, what)


LIMIT = ConnectionLimit()  # of this process
