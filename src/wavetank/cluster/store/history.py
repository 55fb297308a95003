from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Reversible
from operator import attrgetter
from typing import NamedTuple

import msgspec

from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.cluster.store.errors import ExpiredError
from wavetank.kernel.discards import discard, discard_large

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"

_MOST_BYTES = 64 * 1024 * 1024  # of the JSON of kept manifests, of all kinds together
_LARGE = 64 * 1024  # of a manifest that is freed in pieces
_UNKNOWN_SIZE = 4096  # bytes, of a manifest that cannot be written as JSON


class Event(NamedTuple):
    """One write: what happened to which object, what was there before, and the version of the store that it made."""

    type: str
    table: str
    resource: Resource
    old: Resource | None
    version: int
    size: int  # bytes of JSON that are kept for it


class History:
    """Keeps the last `capacity` writes of each kind, so that a watcher can resume where it stopped.

    Fewer, if their objects have more than `most_bytes` of JSON: then the kind that has most of them forgets its oldest.
    """

    def __init__(self, capacity: int, most_bytes: int = _MOST_BYTES) -> None:
        self.capacity = capacity
        self._most_bytes = most_bytes
        self._size = 0
        self._sizes: dict[str, int] = {}
        self._buffer = bytearray()
        self._encoder = msgspec.json.Encoder()
        self._events: dict[str, deque[Event]] = {}
        self._forgotten: dict[str, int] = {}  # by table, the version of the last event that was dropped
        self._before = 0  # the version up to which all are

    def remember(self, type: str, table: str, resource: Resource, old: Resource | None, version: int) -> None:  # noqa: A002
        """Adds a write; the oldest one of its kind is forgotten when there are too many. There must be a capacity."""
        shared = type == MODIFIED and old is not None and resource.manifest is old.manifest
        size = 0 if shared else self._size_of(resource.manifest)
        events = self._events.setdefault(table, deque())
        if len(events) == self.capacity:
            self._drop_oldest(table)
        events.append(Event(type, table, resource, old, version, size))
        self._sizes[table] = self._sizes.get(table, 0) + size
        self._size += size
        while self._size > self._most_bytes:
            largest = max(self._sizes, key=self._sizes.__getitem__)
            if self._events[largest][0].version == version:  # the watchers have not seen the present one yet
                break
            self._drop_oldest(largest)

    def _drop_oldest(self, table: str) -> None:
        event = self._events[table].popleft()
        self._forgotten[table] = event.version
        self._sizes[table] -= event.size
        self._size -= event.size
        if event.size > _LARGE:
            discard_large(event)

    def _size_of(self, manifest: Manifest) -> int:
        try:
            self._encoder.encode_into(manifest, self._buffer)
        except (TypeError, ValueError, OverflowError):
            return _UNKNOWN_SIZE
        return len(self._buffer)

    def forget(self, version: int) -> None:
        """Forgets everything up to a version."""
        discard(*map(list, self._events.values()))  # the parts of lists are freed in pieces, those of deques are not
        self._events.clear()
        self._sizes.clear()
        self._size = 0
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
