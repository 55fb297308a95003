"""Ways to spoil a request: another method, path, query, header or body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
from hypothesis import strategies as st

from tests.apiserver.fuzz.corpus import protobuf_bodies
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.requests.request import Request

Draw = Callable[..., Any]

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", ""]
SEGMENTS = [
    *sorted({kind.plural for kind in KindTable.builtin()}),
    *("status", "scale", "binding", "eviction", "log", "exec", "token", "finalize", "ephemeralcontainers", "resize"),
    *("api", "apis", "v1", "v2", "apps", "batch", "watch", "namespaces", "default", "a", "b", "x" * 300),
    *("..", ".", "", "%2f", "é", "\x00", "a b", "proxy", "openapi", "v3", "healthz", "version"),
]
QUERY = {
    "watch": ["true", "1", "yes", "false", ""],
    "resourceVersion": ["0", "1", "7", "999999999", "abc", "-1", "", "9" * 30],
    "resourceVersionMatch": ["Exact", "NotOlderThan", "Odd"],
    "sendInitialEvents": ["true", "false", "x"],
    "allowWatchBookmarks": ["true", "x"],
    "timeoutSeconds": ["1", "-1", "abc", "9" * 30],
    "limit": ["1", "0", "-1", "abc", "9" * 30],
    "continue": ["x", "eyJ2IjoxfQ", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0", "é", "-1", ""],
    "labelSelector": ["a=b", "a in (b,c)", "!a", "a notin (", "=,,", "a>1", "a=" + "x" * 70, "é"],
    "fieldSelector": ["metadata.name=a", "status.phase!=Failed", "x=1", "a", "spec.nodeName=,", "\\=", "a=b\\"],
    "dryRun": ["All", "x", ""],
    "fieldManager": ["m", "x" * 129, "é", "\x01"],
    "fieldValidation": ["Strict", "Warn", "Ignore", "x"],
    "force": ["true", "x"],
    "gracePeriodSeconds": ["0", "-1", "5", "x", "9" * 30],
    "propagationPolicy": ["Orphan", "Background", "Foreground", "x"],
    "orphanDependents": ["true", "x"],
    "includeObject": ["None", "Object", "x"],
    "pretty": ["1", "x"],
    "container": ["c", "x", ""],
    "tailLines": ["1", "-1", "x"],
    "sinceSeconds": ["1", "0", "x"],
    "sinceTime": ["2024-01-01T00:00:00Z", "x"],
    "limitBytes": ["1", "0", "x"],
    "verbose": [""],
    "exclude": ["etcd", "x"],
}
HEADERS = {
    "accept": [
        "application/json",
        "application/yaml",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "application/yaml;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/vnd.kubernetes.protobuf",
        "text/html",
        ";;;=,,/",
        "*",
        "é;q=x",
    ],
    "content-type": [
        "application/json",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
        "text/plain",
        "/",
        "",
    ],
    "if-none-match": ['"x"', "*"],
    "user-agent": ["curl/8", "é"],
}
ODD: list[Any] = [
    None,
    "",
    "a",
    "x" * 300,
    "é\u0000",
    "-",
    "a/b/c",
    "1Gi",
    "-1",
    "1e400",
    "99999999999999999999",
    "2024-01-01T00:00:00Z",
    "0/0",
    0,
    -1,
    1,
    2**31,
    2**63,
    -(2**70),
    1.5,
    1e308,
    True,
    False,
    [],
    {},
    [None],
    [[]],
    [{}],
    {"": None},
    {"a": {"a": []}},
    ["a", "a"],
    [{"name": "a"}, {"name": "a"}],
    {"$patch": "delete"},
    {"$retainKeys": ["x"]},
]
PATCHES: list[Any] = [
    [{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}],
    [{"op": "remove", "path": "/spec"}],
    [{"op": "replace", "path": "", "value": None}],
    [{"op": "test", "path": "/kind", "value": 1}],
    [{"op": "copy", "from": "/spec", "path": "/spec/x"}],
    [{"op": "move", "from": "/metadata", "path": "/metadata/x"}],
    [{"op": "add", "path": "/spec/containers/-1", "value": {}}],
    [{"op": "add", "path": "/spec/containers/99999999999", "value": {}}],
    [{"op": "x", "path": "~2"}],
    [None],
    {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x"]}},
    {"spec": {"$setElementOrder/containers": [{"name": "c"}]}},
    {"metadata": {"finalizers": ["a.b/c"]}},
    {"metadata": {"resourceVersion": "1"}},
    {"metadata": {"name": "other"}},
    {"kind": "Other"},
    None,
]
GARBAGE = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"{",
    b"\xff\xfe",
    b"{}" * 3,
    b"[" * 2000,
    b'{"a":' * 500,
    b"a: *x",
    b"--- \n---",
    b"&a [*a]",
]


def spoiled(draw: Draw, request: Request) -> Request:
    """Returns a request with one or several parts of it spoiled."""
    ways = draw(st.lists(st.sampled_from(_WAYS), min_size=1, max_size=2, unique=True))
    for way in ways:
        request = way(draw, request)
    return request


def _method(draw: Draw, request: Request) -> Request:
    return replace(request, method=draw(st.sampled_from(METHODS)))


def _path(draw: Draw, request: Request) -> Request:
    parts = request.path.split("/")
    index = draw(st.integers(0, len(parts) - 1))
    segment = draw(st.sampled_from(SEGMENTS))
    change = draw(st.sampled_from(("replace", "insert", "drop", "append")))
    kept = parts[:index] + ([segment] if change in ("replace", "insert") else [])
    rest = parts[index + (change in ("replace", "drop")) :] + ([segment] if change == "append" else [])
    return replace(request, path="/" + "/".join(kept + rest).lstrip("/"))


def _query(draw: Draw, request: Request) -> Request:
    names = draw(st.lists(st.sampled_from(sorted(QUERY)), min_size=1, max_size=3))
    added = tuple((name, draw(st.sampled_from(QUERY[name]))) for name in names)
    return replace(request, query=added + (request.query if draw(st.booleans()) else ()))


def _header(draw: Draw, request: Request) -> Request:
    name = draw(st.sampled_from(sorted(HEADERS)))
    return replace(request, headers={**request.headers, name: draw(st.sampled_from(HEADERS[name]))})


def _document(draw: Draw, request: Request) -> Request:
    try:
        document = msgspec.json.decode(request.body)
    except (msgspec.DecodeError, RecursionError):
        return _raw(draw, request)
    return replace(request, body=msgspec.json.encode(_changed(draw, document)))


def _changed(draw: Draw, document: Any) -> Any:
    """Walks into a document and changes something there."""
    if isinstance(document, dict) and document and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(document)))
        return {**document, **_entry(draw, key, document[key])}
    if isinstance(document, list) and document and draw(st.integers(0, 5)):
        index = draw(st.integers(0, len(document) - 1))
        item = _changed(draw, document[index])
        return [*document[:index], item, *([item] if draw(st.booleans()) else []), *document[index + 1 :]]
    return draw(st.sampled_from(ODD))


def _entry(draw: Draw, key: str, value: Any) -> dict[str, Any]:
    if draw(st.integers(0, 8)) == 0:
        return {draw(st.sampled_from([key.upper(), "", "x", "$patch", "name", "spec"])): value}
    return {key: _changed(draw, value)}


def _raw(draw: Draw, request: Request) -> Request:
    return replace(request, body=draw(st.sampled_from(GARBAGE) | st.binary(max_size=40)))


def _patch(draw: Draw, request: Request) -> Request:
    kind = draw(
        st.sampled_from(("json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"))
    )
    body = msgspec.json.encode(draw(st.sampled_from(PATCHES)))
    return replace(
        request, method="PATCH", headers={**request.headers, "content-type": f"application/{kind}"}, body=body
    )


def _protobuf(draw: Draw, request: Request) -> Request:
    body = bytearray(draw(st.sampled_from(protobuf_bodies())))
    for _ in range(draw(st.integers(0, 3))):
        body[draw(st.integers(0, len(body) - 1))] = draw(st.integers(0, 255))
    cut = draw(st.integers(0, 3)) == 0
    data = bytes(body[: draw(st.integers(0, len(body)))] if cut else body)
    return replace(
        request, headers={**request.headers, "content-type": "application/vnd.kubernetes.protobuf"}, body=data
    )


_WAYS = (_method, _path, _query, _header, _document, _document, _document, _raw, _patch, _protobuf)
