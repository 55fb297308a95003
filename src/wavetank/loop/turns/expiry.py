from __future__ import annotations

from collections import deque

from wavetank.cluster.objects.groupkinds import EVENT
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND, Nanoseconds

LIFETIME: Nanoseconds = 3600 * SECOND  # of an Event after its last write, as in a real API server
_LOOK_EVERY: Nanoseconds = 600 * SECOND


class EventExpiry:
    """Deletes Events an hour after their last write: a scheduler writes several for every pending pod."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._written: deque[tuple[Nanoseconds, Resource]] = deque()
        store.subscribe(EVENT, self)
        self._plan()

    def _plan(self) -> None:
        self._store.clock.after(_LOOK_EVERY, self._look, background=True)

    def _look(self) -> None:
        old = self._store.clock.now - LIFETIME
        while self._written and self._written[0][0] <= old:
            _, event = self._written.popleft()
            if self._store.find(EVENT, event.namespace, event.name) is event:  # otherwise it was written again
                self._store.delete(event)
        self._plan()

    # events

    def added(self, new: Resource) -> None:
        """Adds an Event."""
        self._written.append((self._store.clock.now, new))

    def modified(self, old: Resource, new: Resource) -> None:
        """Adds an Event that was written again."""
        self.added(new)

    def deleted(self, old: Resource) -> None:
        """Does nothing: a deleted Event is not found when it expires."""
