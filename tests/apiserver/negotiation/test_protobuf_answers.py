"""Answers and watch events in protobuf say what those in JSON say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, PODS, Caller, a_map
from tests.support.objects import node_manifest, pod_manifest
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.codec.protobuf import PREFIX, parse_message, unwrap
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.requests.request import Request, Response

PROTOBUF = "application/vnd.kubernetes.protobuf"
GO = f"{PROTOBUF},application/json"  # as client-go asks
KINDS = KindTable.builtin()


def document_of(body: bytes) -> dict[str, Any]:
    """Reads the body of an object as a client would."""
    api_version, name, message = unwrap(body)
    kind = KINDS.named(api_version, name)
    assert kind is not None
    return canonical(kind.schema, parse_message(kind.schema, message)) | {"kind": name, "apiVersion": api_version}


def events_of(data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Reads the events of a watch: each is a message after its length."""
    while data:
        length = int.from_bytes(data[:4], "big")
        event, data = data[4 : 4 + length], data[4 + length :]
        assert len(event) == length
        yield event[2 : 2 + event[1]].decode(), document_of(event[event.index(PREFIX) :])


@pytest.fixture
def caller() -> Caller:
    caller = Caller()
    caller.create("/api/v1/nodes", node_manifest("n1"))
    caller.create(PODS, pod_manifest("p", requests={"cpu": "1"}, nodeName="n1"))
    caller.create(MAPS, a_map("m"))
    return caller


@pytest.mark.parametrize(
    "path",
    [
        f"{PODS}/p",
        f"{MAPS}/m",
        "/api/v1/nodes/n1",
        "/api/v1/namespaces/default",
        "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
    ],
)
def test_an_object_is_the_same(caller: Caller, path: str) -> None:
    answer = caller.ask("GET", path, accept=GO)
    assert (answer.status, answer.headers["content-type"]) == (200, PROTOBUF)
    plain = caller.ask("GET", path).body
    kind = KINDS.named(plain["apiVersion"], plain["kind"])
    assert kind is not None
    assert document_of(answer.body) == canonical(kind.schema, plain)


def test_what_is_written_is_answered_in_protobuf(caller: Caller) -> None:
    made = caller.ask("POST", MAPS, a_map("new"), accept=GO)
    assert (made.status, document_of(made.body)["metadata"]["name"]) == (201, "new")
    patched = caller.ask(
        "PATCH", f"{MAPS}/new", {"data": {"k": "v"}}, accept=GO, content_type="application/merge-patch+json"
    )
    assert document_of(patched.body)["data"]["k"] == "v"


def test_a_list_has_its_items_and_its_version(caller: Caller) -> None:
    answer = caller.ask("GET", f"{MAPS}?limit=1", accept=GO)
    assert answer.headers["content-type"] == PROTOBUF
    assert unwrap(answer.body)[:2] == ("v1", "ConfigMapList")
    assert str(caller.store.version).encode() in answer.body


def test_an_error_is_a_status(caller: Caller) -> None:
    answer = caller.ask("GET", f"{PODS}/missing", accept=GO)
    assert (answer.status, answer.headers["content-type"]) == (404, PROTOBUF)
    assert unwrap(answer.body)[:2] == ("v1", "Status")
    assert b'pods "missing" not found' in answer.body


@pytest.mark.parametrize("accept", [GO, f"{PROTOBUF};stream=watch", f"{GO};stream=watch"])
def test_a_watch_is_a_stream_of_messages(caller: Caller, accept: str) -> None:
    stream = caller.call("GET", f"{MAPS}?watch=true&allowWatchBookmarks=true", accept=accept)
    assert not isinstance(stream, Response)
    assert dict(stream.headers)["content-type"] == f"{PROTOBUF};stream=watch"
    caller.merge(f"{MAPS}/m", {"data": {"k": "2"}})
    caller.ask("DELETE", f"{MAPS}/m")
    stream.bookmark()
    events = list(events_of(stream.take()))
    assert [what for what, _ in events] == ["ADDED", "BOOKMARK", "MODIFIED", "DELETED", "BOOKMARK"]
    assert events[2][1]["data"]["k"] == "2"
    assert events[4][1]["metadata"]["resourceVersion"] == str(caller.store.version)


def test_an_expired_watch_ends_with_a_status(caller: Caller) -> None:
    stream = caller.call("GET", f"{MAPS}?watch=true&resourceVersion=1", accept=GO)
    assert not isinstance(stream, Response)
    assert stream.closed
    event = stream.take()
    assert event[4:].startswith(b"\x0a\x05ERROR")
    assert b"too old resource version" in event


def test_metadata_alone_are_written_in_protobuf(caller: Caller) -> None:
    answer = caller.ask("GET", f"{PODS}/p", accept=f"{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
    assert unwrap(answer.body)[:2] == ("meta.k8s.io/v1", "PartialObjectMetadata")


def test_programs_in_the_loop_get_json(caller: Caller) -> None:
    answer = caller.api.handle(Request("GET", f"{MAPS}/m", headers={"accept": GO}, protobuf=False))
    assert dict(answer.headers)["content-type"] == "application/json"


@pytest.mark.parametrize("kind", list(KINDS), ids=lambda kind: f"{kind.api_version} {kind.kind}")
def test_every_built_in_kind_has_a_protobuf_form(kind: Any) -> None:
    numbered = {name for name in kind.schema.structure.numbers.values() if isinstance(name, str)}
    assert "metadata" in numbered or not kind.schema.structure.fields.keys() & {"metadata"}
