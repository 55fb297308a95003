from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.transcripts import Step, steps_of
from wavetank.apiserver.codec.protobuf import unwrap
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.requests.decoding import decode
from wavetank.apiserver.requests.media import JSON, YAML
from wavetank.apiserver.requests.negotiation import Representation, negotiate, of_error
from wavetank.apiserver.requests.request import Request

KINDS = KindTable.builtin()
NOW = 1_704_067_200.0
PROTOBUF = "application/vnd.kubernetes.protobuf"


def kind(plural: str = "configmaps") -> Kind:
    found = KINDS.find("", "v1", plural)
    assert found
    return found


def asking(accept: str, **query: str) -> Request:
    return Request("GET", "/", tuple(query.items()), {"accept": accept} if accept else {})


def test_recorded_negotiations() -> None:
    """The media types and refusals of recorded reads."""
    for step in steps_of("errors-negotiation"):
        if step.get("method") == "GET":
            check(step)


def check(step: Step) -> None:
    request = Request("GET", step["path"], tuple(map(tuple, step["query"])), headers_of(step))
    listing = step["path"].endswith("configmaps")
    try:
        representation = negotiate(request, listing=listing, watch=step["op"] == "watch")
        shown = representation.list(kind(), [], {}, NOW) if listing else representation.object(kind(), {}, NOW)
    except StatusError as error:
        representation, shown = of_error(request), error.status
    recorded = step["response"]
    shown_as = representation.stream_type if step["op"] == "watch" else representation.media_type
    assert shown_as == recorded["headers"]["content-type"], step["i"]
    if recorded["status"] == 406 and representation.media_type == JSON:
        assert shown == recorded["body"], step["i"]


def headers_of(step: Step) -> dict[str, str]:
    return {name.lower(): value for name, value in step["headers"].items() if value is not None}


@pytest.mark.parametrize(
    ("accept", "media_type", "convert"),
    [
        ("", JSON, ""),
        ("*/*", JSON, ""),
        ("application/yaml", YAML, ""),
        ("application/json;q=0.1, application/yaml", YAML, ""),
        (f"{PROTOBUF},application/json", PROTOBUF, ""),
        (f"application/json,{PROTOBUF}", JSON, ""),
        (f"{PROTOBUF}, */*", PROTOBUF, ""),
        ("garbage,application/json", JSON, ""),
        ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", JSON, "Table"),
        ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", JSON, ""),
        (f"{PROTOBUF};as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io", JSON, "Table"),
        ("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", JSON, "PartialObjectMetadata"),
    ],
)
def test_the_best_acceptable_representation(accept: str, media_type: str, convert: str) -> None:
    representation = negotiate(asking(accept))
    assert (representation.media_type, representation.convert) == (media_type, convert)


@pytest.mark.parametrize(
    ("accept", "message"),
    [
        ("text/html", "406: Not Acceptable"),
        ("application/*", "406: Not Acceptable"),
        ("application/json;as=Foo;v=v1;g=meta.k8s.io", "only the following media types are accepted"),
    ],
)
def test_what_cannot_be_answered(accept: str, message: str) -> None:
    with pytest.raises(StatusError, match=message) as refused:
        negotiate(asking(accept))
    assert refused.value.code == 406


def test_only_known_parts_of_objects_can_be_included() -> None:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    assert negotiate(asking(table, includeObject="None")).include == "None"
    assert negotiate(asking(JSON, includeObject="Foo")).include == ""
    odd = negotiate(asking(table, includeObject="Foo"))  # refused only when there is something to show
    with pytest.raises(StatusError, match="must be 'Metadata', 'Object', 'None', or empty"):
        odd.object(kind(), a_map(), NOW)


def a_map(name: str = "a") -> dict[str, Any]:
    metadata = {"name": name, "resourceVersion": "7", "creationTimestamp": "2023-12-31T23:59:00Z"}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"k": "v"}}


TABLE = Representation(JSON, "Table", "meta.k8s.io/v1")


def test_only_the_first_event_of_a_watch_has_columns() -> None:
    first, second = (TABLE.object(kind(), a_map(), NOW, headers=headers) for headers in (True, False))
    assert [column["name"] for column in first["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert second["columnDefinitions"] is None
    assert second["metadata"] == {"resourceVersion": "7"}
    assert second["rows"][0]["cells"] == ["a", 1, "60s"]


@pytest.mark.parametrize(("include", "shown"), [("", "PartialObjectMetadata"), ("Object", "ConfigMap"), ("None", None)])
def test_rows_include_what_was_asked_for(include: str, shown: str | None) -> None:
    table = Representation(JSON, "Table", "meta.k8s.io/v1", include).list(kind(), [a_map()], {}, NOW)
    assert (table["rows"][0]["object"] or {}).get("kind") == shown


def test_lists_of_metadata_without_items_have_none() -> None:
    representation = Representation(JSON, "PartialObjectMetadataList", "meta.k8s.io/v1")
    assert representation.list(kind(), [], {}, NOW)["items"] is None
    assert Representation().list(kind(), [], {}, NOW)["items"] == []
    assert TABLE.list(kind(), [], {}, NOW)["rows"] == []


def test_a_status_is_never_converted() -> None:
    status = {"kind": "Status", "status": "Success"}
    assert TABLE.object(kind(), status, NOW) is status


def test_people_get_indented_json() -> None:
    assert negotiate(Request("GET", "/", (), {"user-agent": "curl/8"})).encode({"a": 1}) == b'{\n  "a": 1\n}\n'
    assert negotiate(asking("")).encode({"a": 1}) == b'{"a":1}\n'


def test_a_client_that_accepts_only_protobuf_gets_it() -> None:
    representation = negotiate(asking(PROTOBUF))
    assert representation.media_type == PROTOBUF
    assert decode(KINDS, kind(), representation.encode(a_map()), PROTOBUF).document == a_map()
    assert of_error(asking(PROTOBUF)).media_type == PROTOBUF


def test_a_table_has_no_protobuf_form() -> None:
    with pytest.raises(StatusError, match="only the following media types are accepted"):
        negotiate(asking(f"{PROTOBUF};as=Table;v=v1;g=meta.k8s.io"))


@pytest.mark.parametrize(
    "document",
    [
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "m", "code": 404},
        {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [a_map()]},
        {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "a"}},
        {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "items": None},
        {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "a"}, "spec": {"replicas": 2}},
    ],
)
def test_what_else_is_written_in_protobuf(document: dict[str, Any]) -> None:
    body = negotiate(asking(PROTOBUF)).encode(document)
    assert unwrap(body)[:2] == (document["apiVersion"], document["kind"])
