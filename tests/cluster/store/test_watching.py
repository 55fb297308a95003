"""Event n reaches every watcher before event n+1, also when watchers write while they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.objects import a_node, a_pod
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

Told = tuple[str, str, int]
Write = Callable[[Store], None]

NAMES = st.sampled_from("abc")
VERBS = st.sampled_from(["create", "bind", "evict", "delete", "label", "node"])
WRITES = st.lists(st.tuples(VERBS, NAMES), max_size=6)
REACTIONS = st.lists(st.dictionaries(st.integers(0, 8), WRITES, max_size=3), min_size=1, max_size=4)


def write(store: Store, verb: str, name: str) -> None:
    """Makes a write, if the store takes it."""
    pod = store.find("Pod", "default", name)
    try:
        if verb == "create":
            store.create(a_pod(name))
        elif verb == "node":
            store.create(a_node(f"n-{store.version}"))
        elif isinstance(pod, Pod) and verb == "bind":
            store.bind(pod, "n")
        elif isinstance(pod, Pod) and verb == "evict":
            store.evict(pod, "Evicted")
        elif isinstance(pod, Pod) and verb == "delete":
            store.delete(pod)
        elif isinstance(pod, Pod):
            store.patch("Pod", "default", name, {"metadata": {"labels": {"n": str(store.version)}}})
    except ApiError:
        pass


class Watcher:
    """Keeps what it is told in order, in a diary shared by all, and makes its planned writes at the n-th telling."""

    def __init__(self, store: Store, number: int, plan: dict[int, list[tuple[str, str]]], diary: list[Any]) -> None:
        self.store, self.number, self.plan, self.diary = store, number, plan, diary
        self.told: list[Told] = []

    def added(self, new: Resource) -> None:
        self._note("ADDED", new)

    def modified(self, old: Resource, new: Resource) -> None:
        assert old.resource_version < new.resource_version
        self._note("MODIFIED", new)

    def deleted(self, old: Resource) -> None:
        self._note("DELETED", old)

    def _note(self, what: str, resource: Resource) -> None:
        told = (what, resource.name, resource.resource_version)
        turn = len(self.told)
        self.told.append(told)
        self.diary.append((told, self.number))
        for verb, name in self.plan.get(turn, ()):
            write(self.store, verb, name)


@given(REACTIONS, WRITES)
def test_every_watcher_is_told_the_same_in_the_order_of_the_writes(
    plans: list[dict[int, list[tuple[str, str]]]], writes: list[tuple[str, str]]
) -> None:
    store = Store(Clock(), history=10_000)
    diary: list[Any] = []
    watchers = [Watcher(store, number, plan, diary) for number, plan in enumerate(plans)]
    for watcher in watchers:
        store.subscribe("Pod", watcher)
        store.subscribe("Node", watcher)
    for verb, name in writes:
        write(store, verb, name)
    happened = [(event.type, event.resource.name, event.resource.resource_version) for event in store.events_since(0)]
    assert [event.version for event in store.events_since(0)] == list(range(1, store.version + 1))
    for watcher in watchers:
        assert watcher.told == happened
    assert diary == [(told, number) for told in happened for number in range(len(watchers))]


@given(REACTIONS, WRITES)
def test_a_replica_made_of_what_is_told_equals_the_store(
    plans: list[dict[int, list[tuple[str, str]]]], writes: list[tuple[str, str]]
) -> None:
    store = Store(Clock())
    for number, plan in enumerate(plans):
        store.subscribe("Pod", Watcher(store, number, plan, []))
    replica = Replica()
    store.subscribe("Pod", replica)
    for verb, name in writes:
        write(store, verb, name)
    assert replica.pods == {pod.name: pod for pod in store.list("Pod")}


class Replica:
    def __init__(self) -> None:
        self.pods: dict[str, Any] = {}

    def added(self, new: Any) -> None:
        assert new.name not in self.pods
        self.pods[new.name] = new

    def modified(self, old: Any, new: Any) -> None:
        assert self.pods[new.name] is old
        self.pods[new.name] = new

    def deleted(self, old: Any) -> None:
        assert self.pods.pop(old.name) is old


class Calls:
    """A watcher made of one function for new objects."""

    def __init__(self, added: Callable[[Any], None]) -> None:
        self.added = added

    def modified(self, old: Any, new: Any) -> None:
        pass

    def deleted(self, old: Any) -> None:
        pass


def test_a_write_inside_a_call_takes_effect_at_once() -> None:
    store = Store(Clock())
    found: list[object] = []

    def reply(pod: Pod) -> None:
        if pod.name == "a":
            store.create(a_pod("b"))
            found.append(store.find("Pod", "default", "b"))

    store.subscribe("Pod", Calls(reply))
    store.create(a_pod("a"))
    assert found == [store.get("Pod", "default", "b")]


def test_a_watcher_is_told_of_its_kind_only_and_from_now_on() -> None:
    store = Store(Clock())
    store.create(a_pod("a"))
    told: list[str] = []
    store.subscribe("Pod", Calls(lambda pod: told.append(pod.name)))
    store.create(a_node())
    store.create(a_pod("b"))
    assert told == ["b"]


def test_a_function_is_called_for_its_kind_of_change_only() -> None:
    store = Store(Clock())
    told: list[str] = []
    store.subscribe("Pod", added=lambda new: told.append(f"added {new.name}"))
    store.subscribe("Pod", modified=lambda old, new: told.append(f"modified {old.node_name or 'pending'}"))
    store.subscribe("Pod", deleted=lambda old: told.append(f"deleted {old.node_name}"))
    pod = a_pod("a")
    store.create(pod)
    store.bind(pod, "n1")
    store.delete(store.get("Pod", "default", "a"))
    assert told == ["added a", "modified pending", "deleted n1"]


def test_a_subscription_inside_a_call_sees_what_is_written_after_it() -> None:
    store = Store(Clock())
    told: list[str] = []
    late = Calls(lambda pod: told.append(pod.name))
    store.subscribe("Pod", Calls(lambda pod: store.subscribe("Pod", late) if pod.name == "a" else None))
    store.create(a_pod("a"))
    store.create(a_pod("b"))
    assert told == ["b"]


def test_a_watcher_that_fails_does_not_silence_the_others_for_ever() -> None:
    store = Store(Clock())
    told: list[str] = []

    def fail(pod: Pod) -> None:
        if pod.name == "a":
            raise RuntimeError("broken")

    store.subscribe("Pod", Calls(fail))
    store.subscribe("Pod", Calls(lambda pod: told.append(pod.name)))
    with pytest.raises(RuntimeError, match="broken"):
        store.create(a_pod("a"))
    store.create(a_pod("b"))
    assert told == ["a", "b"]
