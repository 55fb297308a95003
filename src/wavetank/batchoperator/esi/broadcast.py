from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import NamedTuple

import msgspec

from wavetank.batchoperator.esi.external import ExternalResource

TOPICS = ("testbeds", "jobs", "schedulings")

ADDED = "ADDED"
MODIFIED = "MODIFIED"
DELETED = "DELETED"
BOOKMARK = "BOOKMARK"  # ends the present state at the beginning of a stream

_encode = msgspec.json.encode


class Topic(NamedTuple):
    """All resources of one kind, or the one of a name."""

    kind: str
    name: str = ""


def read_topic(text: str) -> Topic | None:
    """Reads `jobs` or `jobs/NAME`; None if it is no topic."""
    kind, slash, name = text.partition("/")
    return Topic(kind, name) if kind in TOPICS and bool(slash) == bool(name) and "/" not in name else None


class Change:
    """One change of a resource, as its external representation; encoded when it is first asked for."""

    def __init__(self, kind: str, action: str, resource: ExternalResource) -> None:
        self.kind = kind
        self.action = action
        self.name = resource.name
        self.resource = resource

    @cached_property
    def brief(self) -> bytes:
        """Returns the message of /topic/KIND, which has only the name."""
        return _encode({"action": self.action, "resource": self.name})

    @cached_property
    def full(self) -> bytes:
        """Returns the message of /topic/KIND/NAME, which has the whole resource."""
        return _encode({"action": self.action, "resource": self.resource})

    @cached_property
    def event(self) -> bytes:
        """Returns the event of a stream, which has everything."""
        fields = {"topic": self.kind, "action": self.action, "name": self.name, "resource": self.resource}
        return _encode(fields)


Deliver = Callable[[Change], None]


class Broadcast:
    """Delivers changes to the subscribers of their topics, and knows the present state of every resource."""

    def __init__(self) -> None:
        self._present: dict[str, dict[str, Change]] = {kind: {} for kind in TOPICS}
        self._subscribers: dict[Topic, dict[int, Deliver]] = {}
        self._next = 0

    def publish(self, kind: str, action: str, resource: ExternalResource) -> None:
        """Delivers a change; one that changes nothing of the external representation is left out."""
        present, name = self._present[kind], resource.name
        known = present.get(name)
        if action == DELETED:
            if present.pop(name, None) is None:
                return
        else:
            if known is not None and known.resource == resource:
                return
            action = MODIFIED if known is not None else ADDED
        change = Change(kind, action, resource)
        if action != DELETED:
            present[name] = change
        for topic in (Topic(kind), Topic(kind, name)):
            for deliver in list(self._subscribers.get(topic, {}).values()):
                deliver(change)

    def present(self, kinds: Collection[str]) -> Iterator[Change]:
        """Yields every present resource as if it had just been added."""
        for kind in kinds:
            for change in self._present[kind].values():
                yield change if change.action == ADDED else Change(kind, ADDED, change.resource)

    def has_subscribers(self, topic: Topic) -> bool:
        """Returns whether changes of a topic are delivered to anyone."""
        return topic in self._subscribers

    def subscribe(self, topic: Topic, deliver: Deliver) -> Callable[[], None]:
        """Calls `deliver` with every change from now on; the returned function ends it."""
        self._next += 1
        number = self._next
        self._subscribers.setdefault(topic, {})[number] = deliver

        def unsubscribe() -> None:
            subscribers = self._subscribers.get(topic, {})
            if subscribers.pop(number, None) is not None and not subscribers:
                del self._subscribers[topic]

        return unsubscribe
