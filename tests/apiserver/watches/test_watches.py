from __future__ import annotations

import pytest

from tests.apiserver.inprocess import MAPS, PODS, Caller, a_map
from tests.support.objects import pod_manifest
from wavetank.apiserver.verbs import watching

FIRST = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@pytest.fixture
def caller() -> Caller:
    caller = Caller()
    for name in "ba":
        caller.create(MAPS, a_map(name))
    return caller


def test_a_streaming_list_ends_with_its_bookmark(caller: Caller) -> None:
    *added, bookmark = caller.watch(f"{MAPS}?watch=true&{FIRST}").events()
    assert [event["object"]["metadata"]["name"] for event in added] == ["a", "b"]
    assert bookmark["object"] == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "resourceVersion": str(caller.store.version),
            "annotations": {"k8s.io/initial-events-end": "true"},
        },
    }


@pytest.mark.parametrize("query", ["watch=true", "watch=1&resourceVersion=0", "watch"])
def test_a_watch_from_no_version_begins_with_what_is_there(caller: Caller, query: str) -> None:
    assert caller.watch(f"{MAPS}?{query}").told() == [("ADDED", "a"), ("ADDED", "b")]


def test_a_watch_resumes_after_a_version(caller: Caller) -> None:
    version = caller.get(MAPS).version
    caller.merge(f"{MAPS}/a", {"data": {"k": "2"}})
    caller.ask("DELETE", f"{MAPS}/b")
    watch = caller.watch(f"{MAPS}?watch=true&resourceVersion={version}")
    assert watch.told() == [("MODIFIED", "a"), ("DELETED", "b")]
    caller.create(MAPS, a_map("c"))
    assert watch.told() == [("ADDED", "c")]


def test_a_deletion_shows_its_own_version(caller: Caller) -> None:
    watch = caller.watch(f"{MAPS}?watch=true&resourceVersion={caller.get(MAPS).version}")
    caller.ask("DELETE", f"{MAPS}/b")
    (event,) = watch.events()
    assert event["object"]["metadata"]["resourceVersion"] == str(caller.store.version)


def test_objects_come_and_go_as_they_enter_and_leave_the_selection(caller: Caller) -> None:
    watch = caller.watch(f"{MAPS}?watch=true&labelSelector=x=1&resourceVersion={caller.get(MAPS).version}")
    caller.merge(f"{MAPS}/a", {"metadata": {"labels": {"x": "1"}}})
    caller.merge(f"{MAPS}/a", {"data": {"k": "2"}})
    caller.merge(f"{MAPS}/a", {"metadata": {"labels": {"x": "2"}}})
    caller.merge(f"{MAPS}/a", {"data": {"k": "3"}})
    added, modified, deleted = watch.events()
    assert [event["type"] for event in (added, modified, deleted)] == ["ADDED", "MODIFIED", "DELETED"]
    assert deleted["object"]["metadata"]["labels"] == {"x": "1"}
    assert int(deleted["object"]["metadata"]["resourceVersion"]) == caller.store.version - 1


def test_other_namespaces_and_other_kinds_are_none_of_its_business(caller: Caller) -> None:
    watch = caller.watch(f"{MAPS}?watch=true&resourceVersion={caller.get(MAPS).version}")
    caller.create("/api/v1/namespaces/kube-system/configmaps", a_map("z"))
    caller.create(PODS, pod_manifest("p"))
    assert watch.told() == []


def test_a_forgotten_version_is_an_error_in_the_stream() -> None:
    caller = Caller(history=2)
    first = caller.create(MAPS, a_map("a")).version
    for i in range(5):
        caller.merge(f"{MAPS}/a", {"data": {"k": str(i)}})
    watch = caller.watch(f"{MAPS}?watch=true&resourceVersion={first}")
    (event,) = watch.events()
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
    assert watch.stream.closed


def test_what_was_before_the_server_began_has_expired(caller: Caller) -> None:
    (event,) = caller.watch(f"{MAPS}?watch=true&resourceVersion=1").events()
    assert event["object"]["message"].startswith("too old resource version: 1 (")


def test_a_future_version_waits_or_fails(caller: Caller) -> None:
    soon = caller.store.version + 1
    watch = caller.watch(f"{MAPS}?watch=true&resourceVersion={soon}")
    caller.create(MAPS, a_map("c"))
    caller.create(MAPS, a_map("d"))
    assert watch.told() == [("ADDED", "d")]
    (event,) = caller.watch(f"{MAPS}?watch=true&{FIRST}&resourceVersion=99999").events()
    assert (event["type"], event["object"]["code"]) == ("ERROR", 504)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("sendInitialEvents=true", 422),
        ("resourceVersionMatch=NotOlderThan&resourceVersion=0", 422),
        ("resourceVersion=abc", 500),
        ("timeoutSeconds=x", 400),
        ("fieldSelector=data.k=1", 400),
    ],
)
def test_a_watch_that_makes_no_sense_is_refused(caller: Caller, query: str, status: int) -> None:
    assert caller.ask("GET", f"{MAPS}?watch=true&{query}").status == status


def test_only_the_first_event_of_a_table_has_columns(caller: Caller) -> None:
    first, second = caller.watch(f"{MAPS}?watch=true", accept=TABLE).events()
    assert first["object"]["columnDefinitions"]
    assert second["object"]["columnDefinitions"] is None


def test_the_carrier_is_called_when_something_waits(caller: Caller) -> None:
    watch = caller.watch(f"{MAPS}?watch=true&timeoutSeconds=7")
    watch.events()
    caller.create(MAPS, a_map("c"))
    caller.create(MAPS, a_map("d"))
    assert (watch.news, watch.stream.timeout_s) == (1, 7.0)  # once for both: they wait together
    watch.stream.close()
    caller.create(MAPS, a_map("e"))
    assert [name for _, name in watch.told()] == ["c", "d"]


def test_bookmarks_come_to_clients_that_ask_for_them(caller: Caller) -> None:
    version = caller.get(MAPS).version
    plain = caller.watch(f"{MAPS}?watch=true&resourceVersion={version}")
    marked = caller.watch(f"{MAPS}?watch=true&resourceVersion={version}&allowWatchBookmarks=true")
    for watch in (plain, marked):
        watch.stream.bookmark()
    assert plain.events() == []
    assert [event["type"] for event in marked.events()] == ["BOOKMARK"]


def test_only_the_client_that_does_not_read_is_cut_off(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_LARGEST_BACKLOG", 2000)
    version = caller.get(MAPS).version
    lazy, eager = (caller.watch(f"{MAPS}?watch=true&resourceVersion={version}") for _ in range(2))
    seen = []
    for i in range(20):
        caller.merge(f"{MAPS}/a", {"data": {"k": str(i)}})
        seen += eager.events()
    assert (lazy.stream.closed, eager.stream.closed, len(seen)) == (True, False, 20)


def test_the_legacy_path_of_watches(caller: Caller) -> None:
    assert caller.watch("/api/v1/watch/namespaces/default/configmaps").told() == [("ADDED", "a"), ("ADDED", "b")]
    assert caller.watch("/api/v1/watch/namespaces/default/configmaps/b").told() == [("ADDED", "b")]


def test_writes_inside_the_process_are_seen(caller: Caller) -> None:
    caller.create(PODS, pod_manifest("p"))
    watch = caller.watch(f"{PODS}?watch=true&fieldSelector=spec.nodeName=n")
    pod = caller.store.get("Pod", "default", "p")
    caller.store.bind(pod, "n")  # type: ignore[arg-type]
    (event,) = watch.events()
    assert (event["type"], event["object"]["spec"]["nodeName"]) == ("ADDED", "n")
    assert event["object"]["status"]["conditions"] == [{"type": "PodScheduled", "status": "True"}]
