from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.objects import a_node, a_pod
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import RUNNING, SUCCEEDED, Pod
from wavetank.cluster.store.errors import (
    AlreadyExistsError,
    ApiError,
    ConflictError,
    ExpiredError,
    InvalidError,
    NotFoundError,
)
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND

BOAT = {"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": "b"}, "spec": {"sails": 2}}


@pytest.fixture
def store() -> Store:
    return Store(Clock(), history=100)


def the_pod(store: Store, name: str = "a") -> Pod:
    pod = store.get("Pod", "default", name)
    assert isinstance(pod, Pod)
    return pod


def events(store: Store, since: int = 0) -> list[tuple[str, str, int]]:
    return [(event.type, event.resource.name, event.version) for event in store.events_since(since)]


def test_every_write_has_a_number_of_its_own(store: Store) -> None:
    store.create(a_node())
    store.create(a_pod("a"))
    store.bind(the_pod(store), "n")
    assert (store.version, the_pod(store).resource_version) == (3, 3)
    store.delete(the_pod(store))
    assert store.version == 4


def test_what_was_read_never_changes(store: Store) -> None:
    store.create(a_pod("a"))
    read = the_pod(store)
    store.bind(read, "n")
    assert (read.node_name, the_pod(store).node_name) == ("", "n")


def test_objects_are_listed_in_the_order_of_creation(store: Store) -> None:
    for name in "cab":
        store.create(a_pod(name))
    store.bind(the_pod(store, "c"), "n")
    assert [pod.name for pod in store.list("Pod")] == ["c", "a", "b"]
    assert list(store.list("Boat.example.com")) == []


def test_writes_do_not_disturb_a_listing(store: Store) -> None:
    for name in "ab":
        store.create(a_pod(name))
    listing = store.list("Pod")
    seen = [next(listing).name]
    store.delete(the_pod(store, "b"))
    store.create(a_pod("c"))
    assert seen + [pod.name for pod in listing] == ["a", "b"]


def test_a_name_is_taken_only_in_its_kind_and_namespace(store: Store) -> None:
    store.create(a_pod("x"))
    store.create(a_node("x"))
    elsewhere = a_pod("x")
    elsewhere.namespace = "other"
    store.create(elsewhere)
    assert len(list(store.list("Pod"))) == 2


def test_a_pod_of_the_same_name_is_another_one(store: Store) -> None:
    store.create(a_pod("a"))
    first = the_pod(store)
    store.delete(first)
    store.create(a_pod("a"))
    assert the_pod(store).uid != first.uid
    for write in (store.delete, store.update, lambda pod: store.bind(pod, "n"), lambda pod: store.evict(pod, "")):
        with pytest.raises(ConflictError, match="the uid is"):
            write(first)


def after(store: Store, change: Callable[[Store], None]) -> Pod:
    """Returns the pod as it was read before a change."""
    store.create(a_pod("a"))
    read = the_pod(store)
    change(store)
    return read


def bound(store: Store) -> None:
    store.bind(the_pod(store), "n")


def gone(store: Store) -> None:
    store.delete(the_pod(store))


def terminating(store: Store) -> None:
    bound(store)
    store.evict(the_pod(store), "Evicted")


@pytest.mark.parametrize(
    ("change", "write", "error", "message"),
    [
        pytest.param(bound, lambda s, p: s.create(a_pod("a")), AlreadyExistsError, "already exists", id="create"),
        pytest.param(bound, lambda s, p: s.update(p), ConflictError, "has been modified", id="update: an old version"),
        pytest.param(gone, lambda s, p: s.update(p), NotFoundError, "not found", id="update: gone"),
        pytest.param(gone, lambda s, p: s.bind(p, "n"), NotFoundError, "not found", id="bind: gone"),
        pytest.param(
            bound, lambda s, p: s.bind(p, "m"), ConflictError, 'already assigned to node "n"', id="bind: bound already"
        ),
        pytest.param(gone, lambda s, p: s.delete(p), NotFoundError, "not found", id="delete: gone"),
        pytest.param(gone, lambda s, p: s.evict(p, ""), NotFoundError, "not found", id="evict: gone"),
        pytest.param(
            gone, lambda s, p: s.patch("Pod", "default", "a", {}), NotFoundError, "not found", id="patch: gone"
        ),
        pytest.param(
            bound,
            lambda s, p: s.patch("Pod", "default", "a", {"metadata": {"resourceVersion": "1"}}),
            ConflictError,
            "the present version is 2, not 1",
            id="patch: an old version",
        ),
        pytest.param(
            bound,
            lambda s, p: s.patch("Pod", "default", "a", {"metadata": {"name": "b"}}),
            InvalidError,
            "cannot be changed",
            id="patch: another name",
        ),
        pytest.param(
            bound,
            lambda s, p: s.patch("Pod", "default", "a", {"apiVersion": "v2/x", "kind": "Boat"}),
            InvalidError,
            "cannot be changed",
            id="patch: another kind",
        ),
    ],
)
def test_a_write_that_comes_too_late_is_refused_and_changes_nothing(
    store: Store,
    change: Callable[[Store], None],
    write: Callable[[Store, Pod], Any],
    error: type[ApiError],
    message: str,
) -> None:
    read = after(store, change)
    before = events(store)
    with pytest.raises(error, match=message):
        write(store, read)
    assert events(store) == before


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (NotFoundError, 404, "NotFound"),
        (AlreadyExistsError, 409, "AlreadyExists"),
        (ConflictError, 409, "Conflict"),
        (InvalidError, 422, "Invalid"),
        (ExpiredError, 410, "Expired"),
    ],
)
def test_an_error_carries_the_status_of_kubernetes(error: type[ApiError], code: int, reason: str) -> None:
    assert error("why").status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "why",
        "reason": reason,
        "code": code,
    }


def test_a_binding_clears_what_was_said_of_the_waiting_pod(store: Store) -> None:
    pod = a_pod("a")
    pod.unschedulable, pod.nominated_node = "0/1 nodes", "n"
    store.create(pod)
    store.bind(pod, "n")
    assert (the_pod(store).unschedulable, the_pod(store).nominated_node) == ("", "")


def test_a_gated_pod_cannot_be_bound(store: Store) -> None:
    store.create(a_pod("a", schedulingGates=[{"name": "g"}]))
    with pytest.raises(ConflictError, match="has scheduling gates"):
        store.bind(the_pod(store), "n")


def test_a_pod_that_is_being_deleted_cannot_be_bound(store: Store) -> None:
    pod = a_pod("a")
    pod.deleted = 5
    store.create(pod)
    with pytest.raises(ConflictError, match="is being deleted, cannot be assigned to a host"):
        store.bind(pod, "n")


def test_a_patch_merges_and_null_deletes(store: Store) -> None:
    store.create(parse_resource(BOAT, store.specs))
    patch = {"metadata": {"labels": {"a": "b"}}, "spec": {"sails": None, "crew": [1]}}
    boat = store.patch("Boat.example.com", "default", "b", patch)
    assert boat.render()["spec"] == {"crew": [1]}
    assert (boat.labels, boat.resource_version) == ({"a": "b"}, 2)


def test_a_patch_that_states_the_present_version_or_none_is_taken(store: Store) -> None:
    store.create(a_pod("a"))
    for stated in ("1", None):
        store.patch("Pod", "default", "a", {"metadata": {"resourceVersion": stated}})
    assert the_pod(store).resource_version == 3


def test_a_patched_pod_is_still_the_same_one(store: Store) -> None:
    pod = a_pod("a")
    pod.priority, pod.unschedulable, pod.restarts, pod.started = 7, "0/1 nodes", 2, 5
    store.create(pod)
    new = store.patch("Pod", "default", "a", {"metadata": {"labels": {"a": "b"}}})
    assert isinstance(new, Pod)
    for field in ("uid", "created", "priority", "unschedulable", "restarts", "started", "behavior"):
        assert getattr(new, field) == getattr(pod, field)


def test_a_patch_may_change_a_nodes_taints(store: Store) -> None:
    store.create(a_node(taints=[{"key": "gpu", "effect": "NoSchedule"}]))
    node = store.patch("Node", "", "n", {"spec": {"taints": None, "unschedulable": True}})
    assert (node.taints, node.unschedulable) == ((), True)  # type: ignore[attr-defined]


def test_an_evicted_pod_stays_until_its_node_lets_it_go(store: Store) -> None:
    store.create(a_pod("a", terminationGracePeriodSeconds=7))
    bound(store)
    store.clock.run(until=3 * SECOND)
    store.evict(the_pod(store), "Evicted")
    pod = the_pod(store)
    assert (pod.deleted, pod.reason) == (10 * SECOND, "Evicted")
    store.evict(the_pod(store), "Preempted")
    assert the_pod(store) is pod
    assert pod.render()["metadata"]["deletionTimestamp"] == "2030-01-01T00:00:10Z"


def change(store: Store, **fields: Any) -> None:
    pod = the_pod(store).copy()
    for field, value in fields.items():
        setattr(pod, field, value)
    store.update(pod)


@pytest.mark.parametrize(
    ("prepare", "grace_s"),
    [
        pytest.param(lambda store: None, None, id="unbound"),
        pytest.param(lambda store: change(store, node_name="n", phase=SUCCEEDED), None, id="finished"),
        pytest.param(lambda store: change(store, node_name="n", phase=RUNNING), 0, id="with no grace"),
        pytest.param(lambda store: terminating(store), 0, id="with no grace any more"),
    ],
)
def test_an_evicted_pod_goes_at_once_if_it_does_not_run(
    store: Store, prepare: Callable[[Store], None], grace_s: int | None
) -> None:
    store.create(a_pod("a"))
    prepare(store)
    store.evict(the_pod(store), "Evicted", grace_s)
    assert store.find("Pod", "default", "a") is None
    *_, modified, deleted = store.events_since(0)
    assert (modified.type, deleted.type) == ("MODIFIED", "DELETED")
    assert deleted.resource.reason == "Evicted"  # type: ignore[attr-defined]


def test_a_spec_without_a_grace_period_lets_no_time(store: Store) -> None:
    store.create(a_pod("a", terminationGracePeriodSeconds=0))
    bound(store)
    store.evict(the_pod(store), "Evicted")
    assert store.find("Pod", "default", "a") is None


def test_a_watcher_can_resume_where_it_left_off(store: Store) -> None:
    store.create(a_pod("a"))
    store.create(a_node())
    store.bind(the_pod(store), "n")
    store.delete(the_pod(store))
    assert events(store) == [("ADDED", "a", 1), ("ADDED", "n", 2), ("MODIFIED", "a", 3), ("DELETED", "a", 4)]
    assert events(store, since=2) == [("MODIFIED", "a", 3), ("DELETED", "a", 4)]
    assert events(store, since=4) == []
    assert [event.version for event in store.events_since(1, "Node")] == [2]


def test_what_is_forgotten_has_expired() -> None:
    store = Store(Clock(), history=2)
    for name in "abcd":
        store.create(a_pod(name))
    assert events(store, since=2) == [("ADDED", "c", 3), ("ADDED", "d", 4)]
    with pytest.raises(ExpiredError, match=r"too old resource version: 1 \(2\)"):
        store.events_since(1)


def test_a_store_without_a_history_knows_only_the_present() -> None:
    store = Store(Clock())
    assert events(store) == []
    store.create(a_pod("a"))
    assert events(store, since=1) == []
    with pytest.raises(ExpiredError):
        store.events_since(0)


def test_what_resumes_is_as_it_was_told_whatever_comes_later(store: Store) -> None:
    store.create(a_pod("a"))
    resumed = store.events_since(0)
    store.create(a_pod("b"))
    assert [event.resource.name for event in resumed] == ["a"]


def test_the_past_can_be_listed_as_long_as_it_is_remembered() -> None:
    store = Store(Clock(), history=4)
    for name in "ab":
        store.create(a_pod(name))
    store.bind(the_pod(store, "a"), "n")
    store.delete(the_pod(store, "b"))
    store.create(a_pod("c"))
    pasts = [sorted((pod.name, pod.node_name) for pod in store.at("Pod", at)) for at in range(1, 6)]  # type: ignore[attr-defined]
    assert pasts[0] == [("a", "")]
    assert pasts[1] == [("a", ""), ("b", "")]
    assert pasts[2] == [("a", "n"), ("b", "")]
    assert pasts[3] == [("a", "n")]
    assert pasts[4] == [("a", "n"), ("c", "")]
    with pytest.raises(ExpiredError):
        store.at("Pod", 0)


def test_each_kind_is_remembered_by_itself() -> None:
    store = Store(Clock(), history=1)
    store.create(a_node())
    store.create(a_pod("a"))
    store.create(a_pod("b"))
    assert [event.version for event in store.events_since(0, "Node")] == [1]
    with pytest.raises(ExpiredError, match=r"too old resource version: 1 \(2\)"):
        store.events_since(1, "Pod")
