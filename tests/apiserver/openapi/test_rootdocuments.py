"""Documents of the paths above the resources, and OpenAPI v3 in protobuf."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from tests.apiserver.transcripts import TRANSCRIPTS
from tests.support.paths import needs_shared
from wavetank.apiserver.openapi.descriptions import descriptions
from wavetank.apiserver.openapi.rootdocuments import root_document, root_places

PROTOBUF = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
PLACES = [*root_places(["", "apps", "rbac.authorization.k8s.io", "flowcontrol.apiserver.k8s.io"])]


def without_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [without_texts(each) for each in value]
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if name != "description" or isinstance(each, dict)}
        return {name: without_texts(each) for name, each in kept.items()}
    return value


@needs_shared(TRANSCRIPTS)
@pytest.mark.parametrize("place", PLACES)
def test_the_documents_are_those_of_the_real_server(place: str) -> None:
    recorded = TRANSCRIPTS / "openapi" / f"v3-{place.replace('/', '__')}.json.gz"
    real, ours = json.loads(gzip.decompress(recorded.read_bytes())), root_document(place)
    assert without_texts(ours) == without_texts(real)
    if descriptions():
        assert ours == real


def test_the_documents_are_listed_and_served() -> None:
    caller = Caller()
    listed = json.loads(caller.get("/openapi/v3").body)["paths"]
    assert {"api", "apis", "apis/apps", "version", "openid/v1/jwks"} <= set(listed)
    assert caller.get(listed["version"]["serverRelativeURL"]).body["paths"].keys() == {"/version/"}


def fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yields the fields of a message: its number, and its bytes or its value."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = 8 if key & 7 == 1 else varint()
        at += size
        yield key >> 3, data[at - size : at]


def message(data: bytes | int) -> dict[int, list[Any]]:
    assert isinstance(data, bytes)
    found: dict[int, list[Any]] = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def test_a_document_of_version_3_is_written_in_protobuf() -> None:
    caller = Caller()
    answer = caller.get("/openapi/v3/apis/apps/v1", accept=PROTOBUF)
    assert answer.headers["content-type"] == PROTOBUF.replace("@", ".")
    document = message(answer.body)
    assert document[1] == [b"3.0.0"]
    written = caller.get("/openapi/v3/apis/apps/v1").body
    paths = [message(each)[1][0].decode() for each in message(document[4][0])[1]]
    assert paths == list(written["paths"])
    schemas = {
        message(each)[1][0].decode(): message(message(each)[2][0]) for each in message(message(document[5][0])[1][0])[1]
    }
    assert list(schemas) == list(written["components"]["schemas"])
    spec = message(schemas["io.k8s.api.apps.v1.DeploymentSpec"][1][0])
    assert [name.decode() for name in spec[23]] == ["selector", "template"]
    properties = [message(each)[1][0].decode() for each in message(spec[31][0])[1]]
    assert properties == list(written["components"]["schemas"]["io.k8s.api.apps.v1.DeploymentSpec"]["properties"])
