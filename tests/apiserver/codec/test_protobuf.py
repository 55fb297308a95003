"""Protobuf bodies: those that real clients have sent, and whatever the types allow."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apiserver.transcripts import TRANSCRIPTS
from tests.support.paths import shared_data
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.requests.decoding import decode, decode_delete_options
from wavetank.apiserver.requests.protobufwriter import body_of
from wavetank.apiserver.schemas.schema import Schema

PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = KindTable.builtin()
KINDS = ["pods", "nodes", "services", "secrets", "events", "persistentvolumes", "configmaps"]


def target_of(path: str) -> Kind | Subresource:
    """Returns what a path's bodies are."""
    _, root, *parts = path.split("/")
    group, version, *rest = ["", *parts] if root == "api" else parts
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        rest = rest[2:]
    kind = TABLE.find(group, version, rest[0])
    assert kind is not None
    return kind.subresources[rest[2]] if len(rest) > 2 else kind


def recorded() -> list[dict[str, Any]]:
    file = shared_data(TRANSCRIPTS / "protobuf" / "requests.jsonl.gz")
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


def missing_from(found: Any, expected: Any, path: str = "") -> list[str]:
    """Returns where `found` says something that `expected`, which has defaults besides, does not say."""
    if isinstance(found, dict) and isinstance(expected, dict):
        missing = [f"{path}.{key}" for key in found if key not in expected]
        both = [key for key in found if key in expected]
        return missing + [each for key in both for each in missing_from(found[key], expected[key], f"{path}.{key}")]
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return [each for left, right in zip(found, expected, strict=True) for each in missing_from(left, right, path)]
    return [] if found == expected else [path]


def test_every_recorded_body_is_read_as_the_real_server_read_it():
    for request in recorded():
        body = base64.b64decode(request["body_b64"])
        if request["type_meta"]["kind"] == "DeleteOptions":
            assert isinstance(decode_delete_options(TABLE, body, PROTOBUF), dict)
            continue
        document = decode(TABLE, target_of(request["path"]), body, PROTOBUF, "Strict").document
        answer = request.get("decoded_by_apiserver_after_defaulting", document)
        wrong = [path for path in missing_from(document, answer) if not path.startswith(".status")]
        assert not wrong, (request["path"], wrong)


def metadata_inside(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the metadata of claim templates in a pod's volumes."""
    volumes = (document.get("spec") or {}).get("volumes") or []
    templates = [(each.get("ephemeral") or {}).get("volumeClaimTemplate") for each in volumes]
    return [each["metadata"] for each in templates if each]


@pytest.mark.parametrize("plural", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_encoded_is_decoded_again(plural, data):
    kind = TABLE.find("", "v1", plural)
    document = canonical(kind.schema, data.draw(documents(kind.schema, depth=5)))
    for metadata in (document["metadata"], *metadata_inside(document)):
        if not metadata.get("managedFields"):  # protobuf does not tell an empty list from none
            metadata.pop("managedFields", None)
    decoded = decode(TABLE, kind, body_of("v1", kind.kind, kind.schema.structure, document), PROTOBUF).document
    assert decoded == {**document, "kind": kind.kind, "apiVersion": "v1"}


def test_json_schemas_and_what_may_stand_in_their_place_are_read_as_they_were_sent():
    kind = TABLE.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    text, number = {"type": "string"}, {"type": "integer"}
    schema = {
        "type": "object",
        "properties": {"a": {"items": text}, "b": {"items": [text, number]}, "c": {"additionalProperties": text}},
        "additionalProperties": False,
        "additionalItems": True,
        "dependencies": {"x": ["a", "b"], "y": number},
        "default": {"any": [1, None]},
    }
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    body = body_of(kind.api_version, kind.kind, kind.schema.structure, {"spec": {"versions": [version]}})
    decoded = decode(TABLE, kind, body, PROTOBUF).document
    assert missing_from(schema, decoded["spec"]["versions"][0]["schema"]["openAPIV3Schema"]) == []


@given(noise=st.binary(max_size=60))
def test_noise_is_refused_and_never_a_crash(noise):
    kind = TABLE.find("", "v1", "pods")
    for body in (noise, b"k8s\x00" + noise, body_of("v1", "Pod", kind.schema.structure, {})[:-1] + noise):
        assert outcome(kind, body) in (200, 400)


def outcome(kind: Kind, body: bytes) -> int:
    """Returns the code of the refusal, 200 if there is none."""
    try:
        decode(TABLE, kind, body, PROTOBUF)
    except StatusError as error:
        return error.code
    return 200


SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=6),
    "boolean": st.booleans(),
    "integer": st.integers(-(2**31), 2**31 - 1),
    "quantity": st.sampled_from(["0", "1", "250m", "64Mi", "1e3", "-5"]),
    "time": st.sampled_from(["2024-02-29T12:00:00Z", "1969-12-31T23:59:59Z"]),
    "microtime": st.sampled_from(["2024-01-01T00:00:00.000001Z", "2024-01-01T00:00:00.500000Z"]),
    "int-or-string": st.one_of(st.integers(-9, 2**31 - 1), st.text(max_size=4)),
    "bytes": st.binary(max_size=6).map(lambda content: base64.b64encode(content).decode()),
    "any": st.dictionaries(st.text(max_size=3), st.integers(), min_size=1, max_size=2),
}


def documents(schema: Schema, depth: int) -> st.SearchStrategy[Any]:
    """Draws values of a type, sparsely: a few fields of each object."""
    if schema.type == "object":
        names = [name for name in schema.fields if name not in ("kind", "apiVersion")]
        if depth == 0 or not names:
            return st.just({})
        chosen = st.lists(st.sampled_from(names), max_size=3, unique=True)
        return chosen.flatmap(
            lambda keys: st.fixed_dictionaries({key: documents(schema.fields[key], depth - 1) for key in keys})
        )
    if schema.type in ("array", "map"):
        items = documents(schema.items, depth - 1)
        return (
            st.lists(items, max_size=2)
            if schema.type == "array"
            else st.dictionaries(st.text(max_size=4), items, max_size=2)
        )
    return SCALARS[schema.type]
