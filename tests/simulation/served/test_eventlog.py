"""Events are counted, combined and dropped as client-go does it."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.eventexpiry import EventExpiry
from wavetank.simulation.served.eventlog import EventLog

WEB = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "uid": "u"}}


class Log:
    """An event log about one Deployment."""

    def __init__(self) -> None:
        self.store = Store(Clock())
        self._log = EventLog(self.store)

    def tell(self, message: str, reason: str = "Scaled") -> None:
        self.store.clock.run(self.store.clock.now + SECOND)
        self._log.tell(Resource(WEB), "Normal", reason, message, "deployment-controller")

    @property
    def told(self) -> list[tuple[str, Any]]:
        return [(event.manifest["message"], event.manifest["count"]) for event in self.store.list("Event")]


def test_what_is_said_again_is_counted() -> None:
    log = Log()
    for _ in range(3):
        log.tell("a")
    log.tell("b")
    assert log.told == [("a", 3), ("b", 1)]
    first = next(iter(log.store.list("Event")))
    assert first.manifest["lastTimestamp"] > first.manifest["firstTimestamp"]


def test_ten_similar_ones_become_one() -> None:
    log = Log()
    for number in range(12):
        log.tell(f"step {number}")
    assert log.told == [*((f"step {i}", 1) for i in range(9)), ("(combined from similar events): step 11", 3)]


def test_a_source_of_too_many_events_is_ignored_for_a_while() -> None:
    log = Log()
    for number in range(30):
        log.tell("again", reason=f"Reason{number}")
    assert len(log.told) == 25
    log.store.clock.run(log.store.clock.now + 300 * SECOND)
    log.tell("at last", reason="Late")
    assert len(log.told) == 26


def test_those_that_were_ignored_count_as_well() -> None:
    log = Log()
    for _ in range(30):
        log.tell("again")
    assert log.told == [("again", 25)]
    log.store.clock.run(log.store.clock.now + 300 * SECOND)
    log.tell("again")
    assert log.told == [("again", 31)]


def names(store: Store) -> list[str]:
    return [event.name for event in store.list("Event")]


def an_event(name: str, **fields: Any) -> Resource:
    return Resource({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, **fields})


def test_an_event_is_deleted_an_hour_after_it_was_last_written() -> None:
    store = Store(Clock())
    EventExpiry(store)
    for name in ("a", "b"):
        store.create(an_event(name))
    store.clock.run(1800 * SECOND)
    store.update(store.get("Event", "default", "a").copy())
    store.create(an_event("c"))
    store.clock.run(3599 * SECOND)
    assert names(store) == ["a", "b", "c"]
    store.clock.run(3600 * SECOND)
    assert names(store) == ["a", "c"]
    store.clock.run(5400 * SECOND)
    assert names(store) == []


def test_events_that_are_there_already_expire_by_their_own_times() -> None:
    store = Store(Clock(1800 * SECOND))
    store.restore([an_event("a"), an_event("b", lastTimestamp=render_time(600 * SECOND))], 2, 0)
    EventExpiry(store)
    store.clock.run(4000 * SECOND)
    assert names(store) == ["b"]
    store.clock.run(4200 * SECOND)
    assert names(store) == []
