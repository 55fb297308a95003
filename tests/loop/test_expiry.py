"""Events go an hour after they were last written."""

from __future__ import annotations

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.loop.turns.expiry import EventExpiry

HOUR = 3600 * SECOND


def an_event(name: str) -> Resource:
    return Resource({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"}})


def test_events_expire_an_hour_after_their_last_write():
    clock = Clock()
    store = Store(clock)
    EventExpiry(store)
    for name in ("once", "again"):
        store.create(an_event(name))
    clock.run(HOUR // 2)
    store.update(store.get("Event", "default", "again").copy())
    clock.run(HOUR + 1)
    assert [event.name for event in store.list("Event")] == ["again"]
    clock.run(2 * HOUR)
    assert not list(store.list("Event"))
