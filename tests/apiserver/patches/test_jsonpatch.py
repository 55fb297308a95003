"""JSON patches and merge patches, as the real server's library applies them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.codec import encode
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.patches import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, apply_patch, jsonpatch
from wavetank.apiserver.patches.jsonpatch import apply_operations
from wavetank.apiserver.patches.mergepatch import merge

TABLE = KindTable.builtin()
CONFIG_MAP = TABLE.find("", "v1", "configmaps")
BEFORE = {
    "kind": "ConfigMap",
    "apiVersion": "v1",
    "metadata": {"name": "a", "labels": {"x": "1", "a/b": "2"}, "finalizers": ["f/1", "f/2", "f/3"]},
    "data": {"k": "v"},
}


def patched(body: Any, media: str = JSON_PATCH, validation: str = "Warn") -> Any:
    content = body if isinstance(body, bytes) else encode(body)
    return apply_patch(TABLE, CONFIG_MAP, BEFORE, content, media, validation)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        pytest.param({"op": "add", "path": "/data/n", "value": "w"}, {"data": {"k": "v", "n": "w"}}, id="add"),
        pytest.param(
            {"op": "replace", "path": "/data/n", "value": "w"}, {"data": {"k": "v", "n": "w"}}, id="replace nothing"
        ),
        pytest.param({"op": "remove", "path": "/data/k"}, {"data": None}, id="remove"),
        pytest.param({"op": "move", "from": "/data/k", "path": "/data/z"}, {"data": {"z": "v"}}, id="move"),
        pytest.param({"op": "copy", "from": "/data/k", "path": "/data/z"}, {"data": {"k": "v", "z": "v"}}, id="copy"),
        pytest.param({"op": "test", "path": "/data/k", "value": "v"}, {"data": {"k": "v"}}, id="test"),
        pytest.param(
            {"op": "test", "path": "/data/none", "value": None}, {"data": {"k": "v"}}, id="test a missing key"
        ),
        pytest.param(
            {"op": "replace", "path": "/metadata/labels/a~1b", "value": "3"},
            {"labels": {"x": "1", "a/b": "3"}},
            id="escapes",
        ),
        pytest.param(
            {"op": "add", "path": "/metadata/finalizers/-", "value": "f/4"},
            {"finalizers": ["f/1", "f/2", "f/3", "f/4"]},
            id="append",
        ),
        pytest.param(
            {"op": "add", "path": "/metadata/finalizers/0", "value": "f/4"},
            {"finalizers": ["f/4", "f/1", "f/2", "f/3"]},
            id="insert",
        ),
        pytest.param(
            {"op": "remove", "path": "/metadata/finalizers/-1"}, {"finalizers": ["f/1", "f/2"]}, id="from the end"
        ),
        pytest.param(
            {"op": "replace", "path": "/metadata/finalizers/1", "value": "f/4"},
            {"finalizers": ["f/1", "f/4", "f/3"]},
            id="an index",
        ),
    ],
)
def test_an_operation_does_what_it_says(operation, expected):
    after = patched([operation]).document
    found = {**after, **after["metadata"]}
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/data/k", "value": "w"},
        {"op": "test", "path": "/none/k", "value": None},
        {"op": "remove", "path": "/data/none"},
        {"op": "remove", "path": "/metadata/finalizers/3"},
        {"op": "add", "path": "/none/k", "value": "v"},
        {"op": "add", "path": "/metadata/finalizers/9", "value": "v"},
        {"op": "add", "path": "/metadata/finalizers/x", "value": "v"},
        {"op": "add", "path": "", "value": {}},
        {"op": "add", "path": "/data/k/deep", "value": "v"},
        {"op": "replace", "path": "", "value": "text"},
        {"op": "move", "from": "/data/none", "path": "/data/k"},
        {"op": "frobnicate", "path": "/data"},
        {"path": "/data"},
        {"op": "add"},
        {},
    ],
)
def test_an_operation_that_fails_is_refused(operation):
    with pytest.raises(StatusError) as refused:
        patched([operation])
    assert refused.value.status["message"] == "the server rejected our request due to an error in our request"
    assert (refused.value.code, refused.value.reason, refused.value.status["details"]) == (422, "Invalid", {})


@pytest.mark.parametrize(
    ("media", "body", "code", "message"),
    [
        (
            JSON_PATCH,
            b"{}",
            400,
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (JSON_PATCH, b"[{", 400, "error decoding patch: unexpected end of JSON input"),
        (
            MERGE_PATCH,
            b"[]",
            400,
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (MERGE_PATCH, b"null", 400, "Invalid JSON Patch"),
        (MERGE_PATCH, b"a: b", 400, "error decoding patch: invalid character 'a' looking for beginning of value"),
        (
            "application/json",
            b"{}",
            415,
            "the body of the request was in an unknown format - accepted media types include: ",
        ),
    ],
)
def test_a_body_that_is_no_patch_is_refused(media, body, code, message):
    with pytest.raises(StatusError) as refused:
        patched(body, media)
    assert refused.value.code == code
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("media", "body", "warnings"),
    [
        (MERGE_PATCH, b'{"foo":1,"data":{"a":"1","a":"2"}}', ['duplicate field "data.a"', 'unknown field "foo"']),
        (
            JSON_PATCH,
            b'[{"op":"add","path":"/foo","value":1,"x":1}]',
            ['json patch unknown field "[0].x"', 'unknown field "foo"'],
        ),
    ],
)
def test_strict_errors_of_patches(media, body, warnings):
    assert patched(body, media).warnings == warnings
    assert patched(body, media, "Ignore").warnings == []
    with pytest.raises(StatusError, match="strict decoding error: ") as refused:
        patched(body, media, "Strict")
    assert refused.value.code == 422


@pytest.mark.parametrize("media", [MERGE_PATCH, STRATEGIC_PATCH])
def test_deep_nesting_is_refused(media):
    with pytest.raises(StatusError, match="exceeded max depth"):
        patched(b'{"a":' * 900 + b"{}" + b"}" * 900, media)


def test_a_patch_cannot_make_another_kind_of_it():
    with pytest.raises(StatusError, match='"" is invalid: patch: Invalid value: ') as refused:
        patched({"kind": "Secret"}, MERGE_PATCH)
    assert refused.value.code == 422


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), JSON, max_size=3)


@given(document=OBJECTS, patch=OBJECTS)
def test_a_merge_patch_sets_what_it_names_and_keeps_the_rest(document, patch):
    merged = merge(document, patch)
    for key, value in document.items():
        assert key in patch or merged[key] == value
    for key, value in patch.items():
        if value is None:
            assert key not in merged
        elif not isinstance(value, dict | list):
            assert merged[key] == value
    # The first time a list that replaces an object keeps its nulls: upstream does so too.
    again = merge(merged, patch)
    assert merge(again, patch) == again


def test_a_patch_sorts_the_objects_that_it_leads_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_objects = []
    monkeypatch.setattr(jsonpatch, "sorted_keys", lambda value: sorted_objects.append(1) or sorted(value))
    before = {"z": 1, "a": {"y": [{"d": 1, "c": {"f": 1, "e": 2}}, 1]}, "": {"h": 1, "g": 2}}
    operations = [{"op": "test", "path": f"/a/y/0/{key}", "value": 1} for key in "d" * 50]
    after = apply_operations(before, [*operations, {"op": "test", "path": "//g", "value": 2}])
    assert encode(after) == b'{"":{"g":2,"h":1},"a":{"y":[{"c":{"f":1,"e":2},"d":1},1]},"z":1}'
    assert len(sorted_objects) == 4
