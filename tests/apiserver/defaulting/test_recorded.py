"""Whatever a client leaves out, the recorded server filled in with the same values."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

from tests.apiserver.transcripts import TRANSCRIPTS, scripts, steps_of
from tests.support.paths import shared_data
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.requests.decoding import decode

TABLE = KindTable.builtin()
SCRIPTS = [name for name in scripts() if not name.startswith(("kubectl", "crd", "auth"))]


def created(path: str) -> Kind | None:
    """Returns the kind that is created by a POST to a path, None for subresources and unknown kinds."""
    parts = path.strip("/").split("/")
    group, version, rest = ("", parts[1], parts[2:]) if parts[0] == "api" else (parts[1], parts[2], parts[3:])
    if rest[0] == "namespaces" and len(rest) > 2:
        rest = rest[2:]
    return TABLE.find(group, version, rest[0]) if len(rest) == 1 else None


def missing(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """Returns where `theirs` lacks something of `ours`; what the server adds by other means may be there."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = [where for key in ours for where in missing(ours[key], theirs.get(key), f"{path}.{key}")]
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) <= len(theirs):
        found = [where for index, one in enumerate(ours) for where in missing(one, theirs[index], f"{path}[{index}]")]
    else:
        found = [] if ours == theirs else [f"{path}: {ours!r}, not {theirs!r}"]
    return found


def defaulted(kind: Kind, body: dict[str, Any]) -> dict[str, Any]:
    document = canonical(kind.schema, json.loads(json.dumps(body)))
    set_defaults(kind, document)
    return {name: part for name, part in document.items() if name not in ("metadata", "status")}


@pytest.mark.parametrize("script", SCRIPTS)
def test_created_objects_have_our_defaults(script: str) -> None:
    for step in steps_of(script):
        response = step.get("response") or {}
        kind = created(step["path"]) if step.get("method") == "POST" and response.get("status") == 201 else None
        if kind is None or not isinstance(step.get("body"), dict) or response["body"].get("kind") != kind.kind:
            continue
        assert missing(defaulted(kind, step["body"]), response["body"]) == [], f"step {step['i']}"


def test_protobuf_bodies_have_our_defaults() -> None:
    file = shared_data(TRANSCRIPTS / "protobuf" / "requests.jsonl.gz")
    for request in map(json.loads, gzip.decompress(file.read_bytes()).splitlines()):
        theirs = request.get("decoded_by_apiserver_after_defaulting")
        kind = created(request["path"]) if theirs else None
        if kind is None or "reviews" in request["path"]:
            continue
        body = decode(TABLE, kind, base64.b64decode(request["body_b64"]), request["content_type"], "Strict").document
        assert missing(defaulted(kind, body), theirs) == [], request["path"]
