"""Bodies of requests, good and bad, in JSON and YAML."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.codec import yamltext
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.requests.decoding import decode, decode_delete_options

TABLE = KindTable.builtin()
POD = TABLE.find("", "v1", "pods")
HEAD = b'{"apiVersion":"v1","kind":"Pod",'
NOT_A_POD = 'Pod in version "v1" cannot be handled as a Pod: '
UNRECOGNIZED = (
    "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: "
)


def message_of(body: bytes, content_type: str = "application/json", validation: str = "Warn") -> str:
    with pytest.raises(StatusError) as refused:
        decode(TABLE, POD, body, content_type, validation)
    assert refused.value.code == 400
    return str(refused.value)


def test_what_a_body_does_not_say_is_filled_in():
    document = decode(TABLE, POD, b'{"metadata":{"name":"a"}}', "").document
    assert document == {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": "a"},
        "spec": {"containers": None},
        "status": {},
    }


@pytest.mark.parametrize(
    ("body", "warnings"),
    [
        pytest.param(b'{"Spec":{}}', ['unknown field "Spec"'], id="names are case-sensitive"),
        pytest.param(
            b'{"spec":{"foo":1,"containers":[{"name":"a"},{"bar":{"x":1,"x":2}}]},"zzz":[]}',
            ['unknown field "spec.foo"', 'unknown field "spec.containers[1].bar"', 'unknown field "zzz"'],
            id="in the order of the document, and nothing of what is inside",
        ),
        pytest.param(
            b'{"metadata":{"name":"a","labels":{"x":"1","x":"2"},"name":"b"}}',
            ['duplicate field "metadata.labels.x"', 'duplicate field "metadata.name"'],
            id="duplicates",
        ),
        pytest.param(b'{"metadata":{"labels":{"foo":"1"}}}', [], id="a map has any key"),
    ],
)
def test_strict_errors_are_warnings_errors_or_nothing(body, warnings):
    assert decode(TABLE, POD, body, "").warnings == warnings
    assert decode(TABLE, POD, body, "", "Ignore").warnings == []
    if warnings:
        assert message_of(body, validation="Strict") == f"{NOT_A_POD}strict decoding error: {', '.join(warnings)}"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            b'"metadata":{"name":5}',
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
        ),
        (
            b'"metadata":{"labels":{"a":1}}',
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            b'"spec":{"containers":{}}',
            "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
        ),
        (
            b'"spec":{"priority":1.5}',
            "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32",
        ),
        (
            b'"spec":{"priority":3000000000}',
            "json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32",
        ),
        (
            b'"spec":{"containers":[{"resources":{"limits":{"cpu":"one"}}}]}',
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (b'"spec":{"overhead":{"cpu":"1KK"}}', "unable to parse quantity's suffix"),
        (
            b'"metadata":{"creationTimestamp":"now"}',
            'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
        ),
        (
            b'"metadata":{"creationTimestamp":"2024-13-01T00:00:00Z"}',
            'parsing time "2024-13-01T00:00:00Z": month out of range',
        ),
    ],
)
def test_a_wrong_type_is_named_as_go_names_it(fields, message):
    assert message_of(HEAD + fields + b"}").removeprefix(NOT_A_POD) == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "unexpected end of JSON input (<empty>)"),
        (b"{", "unexpected end of JSON input ({)"),
        (b'{"a":1} x', "invalid character 'x' after top-level value ({\"a\":1} x)"),
        (b"{'a':1}", "invalid character '\\'' looking for beginning of object key string ({'a':1})"),
        (b'{"a" 1}', "invalid character '1' after object key ({\"a\" 1})"),
        (b'{"a":1 "b":2}', 'invalid character \'"\' after object key:value pair ({"a":1 "b":2})'),
        (b'{"a":[1 2]}', "invalid character '2' after array element ({\"a\":[1 2]})"),
        (b'{"a":tru}', "invalid character '}' in literal true (expecting 'e') ({\"a\":tru})"),
        (b'{"a":"\\x"}', 'invalid character \'x\' in string escape code ({"a":"\\x"})'),
        (b'{"a":1.}', "invalid character '}' after decimal point in numeric literal ({\"a\":1.})"),
        (b'{"a":"\n"}', 'invalid character \'\\n\' in string literal ({"a":"\n"})'),
        (b'{"a":NaN}', "invalid character 'N' looking for beginning of value ({\"a\":NaN})"),
        (b"a: b", "invalid character 'a' looking for beginning of value (613a2062)"),
    ],
)
def test_what_is_not_json_is_refused_as_go_refuses_it(body, message):
    assert message_of(body) == UNRECOGNIZED + message


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (
            b'"kind":"Foo","apiVersion":"v1"',
            'Foo in version "v1" cannot be handled as a Pod: no kind "Foo" is registered for version "v1"',
        ),
        (
            b'"kind":"Pod","apiVersion":"apps/v1"',
            'Pod in version "v1" cannot be handled as a Pod: no kind "Pod" is registered for',
        ),
        (
            b'"kind":"Node","apiVersion":"v1"',
            'Node in version "v1" cannot be handled as a Pod: converting (v1.Node) to (core.Pod)',
        ),
        (
            b'"kind":"Pod","apiVersion":"a/b/c"',
            "the object provided is unrecognized (must be of type Pod): unexpected GroupVersion string: a/b/c",
        ),
    ],
)
def test_a_body_of_another_kind_is_refused(head, message):
    assert message_of(b"{" + head + b"}").startswith(message)


def test_another_version_of_the_kind_is_refused_too():
    scaler = TABLE.find("autoscaling", "v2", "horizontalpodautoscalers")
    with pytest.raises(StatusError, match=r"the API version in the data \(autoscaling/v1\) does not match"):
        decode(TABLE, scaler, b'{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}', "")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        pytest.param('a: "y"', {"a": "y"}, id="quoted"),
        pytest.param("a: 12:30", {"a": "12:30"}, id="no sexagesimals"),
        pytest.param("a: 2024-01-01", {"a": "2024-01-01"}, id="dates are texts"),
        pytest.param("1: b", {"1": "b"}, id="keys become texts"),
        pytest.param("<<: {a: b}", {"a": "b"}, id="merge keys"),
    ],
)
def test_yaml_is_read_as_yaml_1_1(text, labels):
    body = f"metadata:\n  labels:\n    {text}\n---\nnonsense: [\n".encode()
    assert decode(TABLE, POD, body, "application/yaml").document["metadata"] == {"labels": labels}


@pytest.mark.parametrize(("text", "found"), [("y", "bool"), ("0x10", "number"), ("1e3", "number"), ("[a]", "array")])
def test_yaml_values_have_types(text, found):
    message = f"json: cannot unmarshal {found} into Go struct field ObjectMeta.metadata.name of type string"
    assert message_of(f"metadata: {{name: {text}}}".encode(), "application/yaml") == NOT_A_POD + message


@pytest.mark.parametrize("head", ["", '"kind":"DeleteOptions","apiVersion":"apps/v1",'])
def test_delete_options_may_be_of_any_group(head):
    body = f'{{{head}"gracePeriodSeconds":0,"preconditions":{{"uid":"x"}}}}'.encode()
    options = decode_delete_options(TABLE, body, "")
    assert (options["gracePeriodSeconds"], options["preconditions"]) == (0, {"uid": "x"})


@pytest.mark.parametrize("body", [b'{"kind":"Pod"}', b"{", b'{"dryRun":1}', b"[]"])
def test_what_is_not_delete_options_is_refused(body):
    with pytest.raises(StatusError) as refused:
        decode_delete_options(TABLE, body, "")
    assert refused.value.code == 400


def test_an_alias_bomb_does_not_go_off():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert "excessive aliasing" in message_of("\n".join(lines).encode(), "application/yaml")


def test_an_alias_to_its_own_container_is_refused():
    assert "excessive aliasing" in message_of(b"data: &a [1, *a]", "application/yaml")


def test_a_text_without_aliases_may_have_any_number_of_values(monkeypatch):
    monkeypatch.setattr(yamltext, "_MOST_VALUES", 5)
    assert yamltext.parse_yaml(b"a: [1, 2, 3, 4, 5, 6, {b: [7, 8]}]\nc: &c [9]\nd: *c")[0]["d"] == [9]
    assert "excessive aliasing" in message_of(b"a: &a [1, 2, 3]\nb: [*a, *a]", "application/yaml")


@pytest.mark.parametrize("text", ["a: [1, 2, {b: 3}]", "a: [1, {[2]: 3}]", "a: [1, .nan]", "- - - x", ""])
def test_no_node_of_a_text_outlives_it(text, monkeypatch):
    roots = []
    first = yamltext._first_node
    monkeypatch.setattr(yamltext, "_first_node", lambda body: roots.append(first(body)) or roots[-1])
    with suppress(UnreadableError):
        yamltext.parse_yaml(text.encode())
    assert all(not root.value for root in roots if root is not None)


def test_half_of_a_surrogate_pair_is_replaced():
    labels = decode(TABLE, POD, rb'{"metadata":{"labels":{"a":"\ud800"}}}', "").document["metadata"]["labels"]
    assert labels == {"a": "�"}


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "json"])
def test_other_content_types_are_refused(content_type):
    with pytest.raises(StatusError) as refused:
        decode(TABLE, POD, b"{}", content_type)
    assert refused.value.code == 415


NAMES = st.sampled_from(["metadata", "spec", "status", "labels", "containers", "name", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner),
)


def outcome(body: bytes, content_type: str) -> int:
    """Returns the code of the refusal, 200 if there is none."""
    try:
        decode(TABLE, POD, body, content_type)
    except StatusError as error:
        return error.code
    return 200


@pytest.mark.parametrize("content_type", ["application/json", "application/yaml"])
@given(VALUES)
def test_no_json_is_a_crash(content_type, value):
    assert outcome(json.dumps(value).encode(), content_type) in (200, 400)


@pytest.mark.parametrize("content_type", ["application/json", "application/yaml"])
@given(st.binary(max_size=40))
def test_no_bytes_are_a_crash(content_type, body):
    assert outcome(body, content_type) in (200, 400)


def test_deep_nesting_is_refused():
    assert "exceeded max depth" in message_of(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}")


def test_deep_nesting_of_a_type_that_contains_itself_is_refused():
    definition = TABLE.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    schema = b'{"properties":{"a":' * 450 + b"{}" + b"}}" * 450
    body = b'{"spec":{"versions":[{"schema":{"openAPIV3Schema":' + schema + b"}}]}}"
    with pytest.raises(StatusError, match="exceeded max depth"):
        decode(TABLE, definition, body, "")
