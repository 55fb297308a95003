"""Heavy requests give the event loop back: they are done in slices, or beside it, with the same answers."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from functools import partial
from threading import current_thread
from typing import Any

import pytest

from tests.apiserver.inprocess import JSON, MAPS, MERGE, Caller
from wavetank.apiserver import waiting
from wavetank.apiserver.admission.webhooks.admission import _operations
from wavetank.apiserver.api import Api
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.fielderrors import ENOUGH
from wavetank.apiserver.http.unread import UnreadBodies
from wavetank.apiserver.patches.jsonpatch import apply_operations
from wavetank.apiserver.patches.refusal import PatchError
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.apiserver.validation.pods.podwarnings import pod_warnings
from wavetank.apiserver.verbs import writing
from wavetank.apiserver.verbs.largeobjects import LargeObjects
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.watching import WatchStream
from wavetank.apiserver.verbs.write import Write
from wavetank.apiserver.waiting import HEAVIEST, in_slices, run_beside, run_waiting
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every slice end after one item."""
    monkeypatch.setattr(waiting, "_SLICE_S", 0.0)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the names of the functions that were run beside the event loop."""
    names: list[str] = []
    run = waiting.run_beside

    def noted(function: Any, weight: int) -> Any:
        if waiting.is_heavy(weight) and waiting.may_wait():
            names.append(getattr(function, "func", function).__name__)
        return run(function, weight)

    for module in ("verbs.largeobjects", "verbs.write", "verbs.writing", "verbs.reading", "api"):
        monkeypatch.setattr(f"wavetank.apiserver.{module}.run_beside", noted)
    return names


def a_map(size: int = 0, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "data": {**{f"k{i}": "v" for i in range(size)}, **data}}


def served(caller: Caller, *arguments: Any, **headers: str) -> Any:
    """Asks as the server does: the request may wait."""
    return asyncio.run(run_waiting(partial(caller.call, *arguments, **headers)))


@pytest.mark.parametrize(
    ("weight", "thread"), [(100_000, "small"), (3_000_000, "large"), (100_000_000, "slow"), (HEAVIEST, "large")]
)
def test_requests_of_each_weight_have_a_thread_of_their_own(weight: int, thread: str) -> None:
    name = asyncio.run(run_waiting(lambda: run_beside(lambda: current_thread().name, weight)))
    assert name.startswith(f"heavy-{thread}")


@pytest.mark.usefixtures("short_slices")
def test_the_event_loop_goes_on_between_slices() -> None:
    async def run() -> list[str]:
        order: list[str] = []
        list_all = run_waiting(lambda: [order.append(str(i)) for i in in_slices(range(3))])
        await asyncio.gather(list_all, *(tick(order) for _ in range(1)))
        return order

    async def tick(order: list[str]) -> None:
        order.append("tick")

    assert asyncio.run(run()) == ["0", "tick", "1", "2"]


@pytest.mark.usefixtures("short_slices")
@pytest.mark.parametrize("what", ["slices", "bodies", "lists"])
def test_many_requests_have_no_more_than_two_slices_in_one_tick(what: str) -> None:
    """The slices of 60 requests at once took 0.3 s."""
    caller = Caller()
    for i in range(2):
        caller.create(MAPS, {"metadata": {"name": f"m{i}"}, "data": {"k": "v" * 200_000}})
    ticks = 0
    seen: Counter[int] = Counter()

    def tick(loop: asyncio.AbstractEventLoop) -> None:
        nonlocal ticks
        ticks += 1
        loop.call_soon(tick, loop)

    async def send(_: Any) -> None:
        seen[ticks] += 1

    async def ask() -> None:
        if what == "slices":
            await run_waiting(lambda: [seen.update([ticks]) for i in in_slices(range(4)) if i])  # the first is free
        elif what == "bodies":
            await UnreadBodies().send(bytes(1_000_000), lambda: None, send)
        else:
            assert (await run_waiting(partial(caller.call, "GET", MAPS))).status == 200
            seen[ticks] += 1

    async def run() -> None:
        tick(asyncio.get_running_loop())
        await asyncio.gather(*(ask() for _ in range(20)))

    asyncio.run(run())
    assert max(seen.values()) <= 2
    assert seen.total() == {"slices": 60, "bodies": 80, "lists": 20}[what]


def test_a_large_object_is_read_checked_and_shown_beside_the_loop(beside: list[str]) -> None:
    answer = served(Caller(), "POST", MAPS, a_map(5000))
    assert answer.status == 201
    assert {"decode", "_begin", "update", "_check_new", "_made", "show", "answer"} <= set(beside)


def test_a_small_object_is_not(beside: list[str]) -> None:
    assert served(Caller(), "POST", MAPS, a_map(5)).status == 201
    assert beside == []


def test_a_small_body_with_aliases_may_be_large(beside: list[str]) -> None:
    """400 bytes stood for 160,000 values: reading and checking them kept others waiting for 400 ms."""
    text = b"metadata: {name: a, labels: &labels {a: b}, annotations: *labels}"
    assert served(Caller(), "POST", MAPS, text, content_type="application/yaml").status == 201
    assert {"decode", "_check_new"} <= set(beside)


def test_so_is_a_small_patch_of_a_large_object(beside: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavetank.apiserver.verbs.writing._SLOW_S", 0.0)
    caller = Caller()
    served(caller, "POST", MAPS, a_map(5000))
    beside.clear()
    assert served(caller, "PATCH", f"{MAPS}/a", {"data": {"b": "c"}}, content_type=MERGE).status == 200
    assert "_check_changed" in beside


def test_the_answer_to_a_small_request_about_a_large_object_is_written_beside_the_loop(
    beside: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wavetank.apiserver.verbs.writing._SLOW_S", 0.0)
    caller, labels = Caller(), {f"k{i}": "v" for i in range(5000)}
    served(caller, "POST", MAPS, {"metadata": {"name": "a", "finalizers": ["a.io/b"]}, "data": labels})
    for method, body in (("PATCH", {"data": {"b": "c"}}), ("DELETE", None)):
        beside.clear()
        assert served(caller, method, f"{MAPS}/a", body, content_type=MERGE).status == 200
        assert "answer" in beside


def test_large_objects_that_become_small_are_forgotten() -> None:
    objects, old = LargeObjects(), Resource({"metadata": {"name": "a", "uid": "u"}})
    request = Request("PATCH", f"{MAPS}/a", headers={"content-type": MERGE}, body=b"{}")
    kind = Caller().api.kinds.named("v1", "ConfigMap")
    assert kind is not None
    for large in (True, False):
        objects.note(old.uid, large)
        write = Write(kind, "default", "a", request, WriteOptions())
        objects.weigh(write, old)
        assert waiting.is_heavy(write.weight) == large


def test_of_two_large_objects_of_one_name_one_is_created() -> None:
    caller = Caller()

    async def both() -> list[int]:
        calls = [run_waiting(partial(caller.call, "POST", MAPS, a_map(5000))) for _ in range(2)]
        return sorted(answer.status for answer in await asyncio.gather(*calls) if isinstance(answer, Response))

    assert asyncio.run(both()) == [201, 409]


@pytest.mark.parametrize(("stated", "status"), [(False, 200), (True, 409)], ids=["of any version", "of a version"])
def test_an_update_of_an_object_that_changes_meanwhile(
    stated: bool, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, changed = Caller(), []
    version = caller.create(MAPS, a_map()).version
    document = a_map(1)
    document["metadata"]["resourceVersion"] = version if stated else ""

    def change_before(function: Any, weight: int) -> Any:
        if function.func.__name__ == "_check_changed" and not changed:
            changed.append(True)
            assert caller.merge(f"{MAPS}/a", {"metadata": {"labels": {"b": "c"}}}).status == 200
        return function()

    monkeypatch.setattr("wavetank.apiserver.verbs.write.run_beside", change_before)
    assert caller.ask("PUT", f"{MAPS}/a", document).status == status
    assert changed
    assert ("labels" in caller.get(f"{MAPS}/a").body["metadata"]) == stated


@pytest.mark.parametrize("finalizers", [[], ["a.b/c"]])
@pytest.mark.parametrize("changes", [1, 100])
def test_a_large_object_that_changes_while_it_is_deleted_is_deleted(
    finalizers: list[str], changes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wavetank.apiserver.verbs.writing._SLOW_S", 0.0)  # so that it counts as large
    caller, changed = Caller(), []
    document = {**a_map(5000), "metadata": {"name": "a", "finalizers": finalizers}}
    assert served(caller, "POST", MAPS, document).status == 201

    def change_before(function: Any, weight: int) -> Any:
        if len(changed) < changes and getattr(function, "func", function).__name__ in ("render", "_marked"):
            changed.append(True)
            assert caller.merge(f"{MAPS}/a", {"data": {"b": str(len(changed))}}).status == 200
        return function()

    monkeypatch.setattr("wavetank.apiserver.verbs.largeobjects.run_beside", change_before)
    assert served(caller, "DELETE", f"{MAPS}/a").status == 200
    assert changed
    left = caller.get(f"{MAPS}/a")
    assert (left.status, "deletionTimestamp" in left.body.get("metadata", {})) == (
        (200, True) if finalizers else (404, False)
    )


@pytest.mark.usefixtures("short_slices")
@pytest.mark.parametrize("query", ["watch=true&resourceVersion=%s", "watch=true&sendInitialEvents=true"
                                   "&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"])  # fmt: skip
def test_a_watch_that_begins_while_objects_are_written_misses_none(query: str) -> None:
    caller = Caller()
    version = caller.get(MAPS).version
    for i in range(20):
        caller.create(MAPS, {"metadata": {"name": f"old-{i}"}})
    target = f"{MAPS}?{query}".replace("%s", version)

    async def write() -> None:
        for i in range(20):
            caller.create(MAPS, {"metadata": {"name": f"new-{i}"}})
            await asyncio.sleep(0)

    async def watch() -> WatchStream:
        stream, _ = await asyncio.gather(run_waiting(partial(caller.call, "GET", target)), write())
        assert isinstance(stream, WatchStream)
        return stream

    lines = asyncio.run(watch()).take().decode()
    for name in [f"{age}-{i}" for age in ("old", "new") for i in range(20)]:
        assert lines.count(f'"name":"{name}"') == 1, name


def test_ports_of_a_pod_that_overlap_are_warned_of_so_often_and_no_more() -> None:
    ports = [{"containerPort": 1, "protocol": "TCP"}] * 2000
    spec = {"containers": [{"name": "c", "image": "i", "ports": ports}]}
    overlaps = [text for text in pod_warnings({}, spec) if "duplicate port definition" in text]
    assert len(overlaps) == ENOUGH


def test_an_actor_in_the_same_process_writes_a_large_object_beside_the_event_loop(beside: list[str]) -> None:
    actor = Caller().api.actor(User("system:controller"))

    def write(size: int) -> None:
        metadata = {"name": f"m{size}", "namespace": "default"}
        made = actor.create({"apiVersion": "v1", "kind": "ConfigMap", **a_map(size), "metadata": metadata})
        document = made.render()
        actor.update(made, {**document, "data": {**document["data"], "more": ""}})

    asyncio.run(run_waiting(partial(write, 10)))
    assert beside == []
    asyncio.run(run_waiting(partial(write, 5000)))
    assert {"copied", "update", "_check_new", "_check_changed"} <= set(beside)


@pytest.mark.parametrize("path", [f"{MAPS}/a", MAPS])
@pytest.mark.parametrize("accept", ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"])
def test_large_objects_are_shown_beside_the_event_loop(path: str, accept: str, beside: list[str]) -> None:
    caller = Caller()
    assert served(caller, "POST", MAPS, a_map(20_000)).status == 201
    assert served(caller, "POST", MAPS, {"metadata": {"name": "small"}}).status == 201
    beside.clear()
    assert served(caller, "GET", path, accept=accept).status == 200
    shown = {
        "application/json": ["encode" if path != MAPS else "encode_item"],
        "application/vnd.kubernetes.protobuf": ["encode_protobuf" if path != MAPS else "message"],
        "application/yaml": ["show", "answer" if path != MAPS else "<lambda>"],
    }
    assert beside == shown[accept]
    beside.clear()
    assert served(caller, "GET", path, accept=accept).status == 200
    assert beside == (shown[accept] if accept == "application/yaml" else [])  # the others are cached


def test_each_version_of_a_small_object_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    caller, measured = Caller(), []

    def is_large(manifest: Any) -> bool:
        measured.append(manifest["metadata"]["name"])
        return False

    for name in "ab":
        served(caller, "POST", MAPS, {"metadata": {"name": name}})
    monkeypatch.setattr("wavetank.apiserver.verbs.largeobjects.is_large", is_large)
    for _ in range(3):
        assert served(caller, "GET", MAPS, accept="application/yaml").status == 200
    assert measured == ["a", "b"]
    assert served(caller, "PUT", f"{MAPS}/b", {"metadata": {"name": "b"}, "data": {"a": "b"}}).status == 200
    measured.clear()
    assert served(caller, "GET", MAPS, accept="application/yaml").status == 200
    assert measured == ["b"]


def test_large_objects_of_an_earlier_server_are_known(beside: list[str]) -> None:
    caller = Caller()
    served(caller, "POST", MAPS, a_map(5000))
    caller.api = Api(caller.store)
    beside.clear()
    assert served(caller, "GET", f"{MAPS}/a", accept="application/yaml").status == 200
    assert beside == ["show", "answer"]


def test_the_rules_of_a_user_with_very_many_are_shown_beside_the_event_loop(beside: list[str]) -> None:
    api, group = Api(Store(Clock()), rbac=True), "rbac.authorization.k8s.io"
    rules = [{"apiGroups": [""], "resources": [f"r{i}"], "verbs": ["get"]} for i in range(2000)]
    reference, subject = {"apiGroup": group, "kind": "ClusterRole"}, {"apiGroup": group, "kind": "User"}
    binding = {"roleRef": {**reference, "name": "r"}, "subjects": [{**subject, "name": "joe"}]}
    root, joe = User(), User("joe", ("system:authenticated",))
    for user, path, document in (
        (root, f"/apis/{group}/v1/clusterroles", {"metadata": {"name": "r"}, "rules": rules}),
        (root, f"/apis/{group}/v1/clusterrolebindings", {"metadata": {"name": "r"}, **binding}),
        (joe, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": {"namespace": "default"}}),
    ):
        beside.clear()
        request = Request("POST", path, headers={"content-type": JSON}, body=json.dumps(document).encode(), user=user)
        answer = asyncio.run(run_waiting(partial(api.handle, request)))
        assert isinstance(answer, Response)
        assert answer.status == 201
    assert answer.body.count(b'"resources"') > len(rules)
    assert beside == ["answer"]


def test_a_large_object_is_not_created_in_a_namespace_that_is_deleted_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caller = Caller()
    caller.create("/api/v1/namespaces", {"metadata": {"name": "short"}})
    check = writing.Writer._check_new

    def delete_first(*arguments: Any) -> Any:
        assert caller.ask("DELETE", "/api/v1/namespaces/short").status == 200
        return check(*arguments)

    monkeypatch.setattr(writing.Writer, "_check_new", delete_first)
    maps = "/api/v1/namespaces/short/configmaps"
    assert served(caller, "POST", maps, a_map(k="v" * 100_000)).status in (403, 404)
    assert caller.get(maps).names == []


@pytest.mark.parametrize("patch", [b"[1]", b'"a"', b'[["op"]]', b'[{"op": []}]', b'[{"op": {}, "path": 1}]'])
def test_a_patch_of_a_webhook_with_wrong_types_is_refused_with_a_message(patch: bytes) -> None:
    with pytest.raises((StatusError, PatchError)):
        apply_operations({}, _operations(patch))
