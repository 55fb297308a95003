from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from wavetank.cluster.resource import Resource
from wavetank.cluster.status import ExpiredError

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"


class Event(NamedTuple):
    """One write: what happened to which object, and the version of the store that it made."""

    type: str
    table: str
    resource: Resource
    version: int


class History:
    """Remembers the last `capacity` writes, so that a watcher can resume where it left off."""

    def __init__(self, capacity: int) -> None:
        self._events: deque[Event] = deque(maxlen=capacity)

    def remember(self, type: str, table: str, resource: Resource, version: int) -> None:  # noqa: A002
        """Adds a write; the oldest one is forgotten when there are too many."""
        if self._events.maxlen:
            self._events.append(Event(type, table, resource, version))

    def since(self, version: int, present: int, table: str | None) -> Iterator[Event]:
        """Yields the events after `version`; ExpiredError if not all of them are remembered."""
        first = self._events[0].version if self._events else present + 1
        if version + 1 < first:
            raise ExpiredError(f"too old resource version: {version} ({first - 1})")
        wanted = [event for event in self._events if event.version > version]
        return (event for event in wanted if table in (None, event.table))
