from __future__ import annotations

from collections import deque
from contextlib import suppress

from wavetank.cluster.objects.groupkinds import EVENT
from wavetank.cluster.objects.resource import Resource, parse_time
from wavetank.cluster.store.store import Store
from wavetank.cluster.store.storedkinds import Key
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds

TTL: Nanoseconds = 3600 * SECOND  # kube-apiserver's --event-ttl


class EventExpiry:
    """Deletes Events an hour after they were last written, as kube-apiserver does."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._clock = store.clock
        present = sorted((_written(each), each.key, each.resource_version) for each in store.list(EVENT))
        self._pending: deque[tuple[Nanoseconds, Key, int]] = deque(present)
        self._planned = False
        store.subscribe(EVENT, added=self._seen, modified=lambda _, new: self._seen(new))
        self._plan()

    def _seen(self, event: Resource) -> None:
        self._pending.append((self._clock.now, event.key, event.resource_version))
        self._plan()

    def _plan(self) -> None:
        """Sets a timer for the oldest Event, unless there is one."""
        if self._pending and not self._planned:
            self._planned = True
            due = max(self._clock.now, self._pending[0][0] + TTL)
            self._clock.at(due, self._expire, background=True)

    def _expire(self) -> None:
        self._planned = False
        while self._pending and self._pending[0][0] + TTL <= self._clock.now:
            _, key, version = self._pending.popleft()
            event = self._store.find(EVENT, *key)
            if event is not None and event.resource_version == version:
                self._store.delete(event)
        self._plan()


def _written(event: Resource) -> Nanoseconds:
    """Returns when an Event was last written, as far as it says so itself."""
    with suppress(InputError):
        return max(event.created, parse_time(event.manifest.get("lastTimestamp"), "") or event.created)
    return event.created
