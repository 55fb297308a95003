"""Requests to begin with: those of the recorded conversations, or a few of our own where there are none."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from typing import Any

import msgspec

from tests.apiserver.transcripts import TRANSCRIPTS, Step, scripts, steps_of
from wavetank.apiserver.requests.request import Request

_PLACEHOLDERS = {
    "rv": "7",
    "uid": "00000007-0000-4000-8000-000000000000",
    "gen": "abcde",
    "clusterip": "10.0.0.7",
    "nodeport": "30007",
    "continue": "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NywidCI6IiJ9",
    "etag": '"x"',
    "time": "2030-01-01T00:00:00Z",
    "microtime": "2030-01-01T00:00:00.000000Z",
}
_PLACEHOLDER = re.compile(r"<(\w+)(?::[^>]+)?>")

POD = {
    "kind": "Pod",
    "apiVersion": "v1",
    "metadata": {"name": "a"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
_OWN = [
    ("POST", "/api/v1/namespaces", {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "ns"}}),
    ("POST", "/api/v1/namespaces/ns/pods", POD),
    ("PATCH", "/api/v1/namespaces/ns/pods/a/status", {"status": {"phase": "Running"}}),
    ("GET", "/api/v1/pods", None),
    ("PUT", "/api/v1/namespaces/ns/pods/a", POD),
    ("DELETE", "/api/v1/namespaces/ns/pods/a", None),
]


@cache
def conversations() -> list[list[Request]]:
    """Returns requests in the order in which they were sent, one list per script."""
    recorded = [_requests(script) for script in scripts() if not script.startswith("kubectl")]
    own = [_request(method, path, (), _headers(method), body) for method, path, body in _OWN]
    return [requests for requests in recorded if requests] or [own]


@cache
def protobuf_bodies() -> list[bytes]:
    """Returns real bodies in protobuf; a broken one where there are none."""
    file = TRANSCRIPTS / "protobuf" / "requests.jsonl.gz"
    if not file.exists():
        return [b"k8s\x00\x0a\x04\x0a\x02v1"]
    import gzip

    with gzip.open(file, "rt") as lines:
        found = [re.search(r'"(azhzA[A-Za-z0-9+/=]*)"', line) for line in lines]
    return [base64.b64decode(match[1]) for match in found if match]


def _requests(script: str) -> list[Request]:
    steps = [step for step in steps_of(script) if step["op"] in ("request", "poll", "watch", "watch_open")]
    return [_of_step(step) for step in steps]


def _of_step(step: Step) -> Request:
    told = json.loads(_PLACEHOLDER.sub(lambda match: _escaped(match[1]), json.dumps(step)))
    headers = {name.lower(): value for name, value in told["headers"].items() if value}
    query = tuple((name, value) for name, value in told.get("query") or ())
    body = told.get("raw_body", told.get("body"))
    return _request(told.get("method", "GET"), told["path"], query, headers, body)


def _escaped(placeholder: str) -> str:
    return json.dumps(_PLACEHOLDERS.get(placeholder, "x"))[1:-1]


def _request(method: str, path: str, query: Any, headers: dict[str, str], body: Any) -> Request:
    data = body.encode() if isinstance(body, str) else b"" if body is None else msgspec.json.encode(body)
    return Request(method, path, query, headers, data)


def _headers(method: str) -> dict[str, str]:
    return {"content-type": "application/merge-patch+json" if method == "PATCH" else "application/json"}
