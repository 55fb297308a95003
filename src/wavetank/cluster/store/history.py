from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Reversible
from operator import attrgetter
from typing import NamedTuple

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ExpiredError

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"


class Event(NamedTuple):
    """One write: what happened to which object, what was there before, and the version of the store that it made."""

    type: str
    table: str
    resource: Resource
    old: Resource | None
    version: int


class History:
    """Keeps the last `capacity` writes of each kind, so that a watcher can resume where it stopped."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._events: dict[str, deque[Event]] = {}
        self._forgotten: dict[str, int] = {}  # by table, the version of the last event that was dropped
        self._before = 0  # the version up to which all are

    def remember(self, type: str, table: str, resource: Resource, old: Resource | None, version: int) -> None:  # noqa: A002
        """Adds a write; the oldest one of its kind is forgotten when there are too many. There must be a capacity."""
        events = self._events.setdefault(table, deque())
        if len(events) == self.capacity:
            self._forgotten[table] = events.popleft().version
        events.append(Event(type, table, resource, old, version))

    def forget(self, version: int) -> None:
        """Forgets everything up to a version."""
        self._events.clear()
        self._before = version

    def since(self, version: int, present: int, table: str | None) -> Iterator[Event]:
        """Yields the events after `version`, of one kind or of all; ExpiredError if some are no longer kept."""
        forgotten = self._forgotten.get(table, 0) if table else max(self._forgotten.values(), default=0)
        oldest = max(forgotten, self._before) if self.capacity else present
        if version < oldest:
            raise ExpiredError(f"too old resource version: {version} ({oldest})")
        if table:
            return reversed(_after(version, self._events.get(table, ())))
        everything = (event for events in self._events.values() for event in _after(version, events))
        return iter(sorted(everything, key=attrgetter("version")))


def _after(version: int, events: Reversible[Event]) -> list[Event]:
    """Returns the events after a version, the newest first; costs only as much as there are of them."""
    found = []
    for event in reversed(events):
        if event.version <= version:
            break
        found.append(event)
    return found
