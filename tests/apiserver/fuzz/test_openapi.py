"""Requests made from the OpenAPI documents, built-in and custom kinds alike: no 500 but the real server's own."""

from __future__ import annotations

import json
import os
import random
from functools import cache
from typing import Any

import msgspec
import pytest

from tests.apiserver.fuzz.corpus import POD
from tests.apiserver.fuzz.mutations import ODD
from tests.apiserver.fuzz.test_fuzz import ask
from tests.apiserver.openapi.definitions import CRON_TAB
from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.nodes.usage.usage import Usage

EXAMPLES = int(os.environ.get("WAVETANK_FUZZ_EXAMPLES", "8"))
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TEXTS = ("a", "b", "x-1", "", "1Gi", "10.0.0.1", "2024-01-01T00:00:00Z", "Always", "ÄÖ", "a" * 70)
PATCHES = ("application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml")
NAMED = {"name": "a", "namespace": "default"}

Json = dict[str, Any]


def fresh() -> Api:
    """Returns an API with a custom kind, an object of it and a pod."""
    store = Store(Clock(), history=1000)
    api = Api(store, measures=Usage(store))
    tab = {"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {"times": "x"}}
    for path, body in (
        (DEFINITIONS, CRON_TAB),
        ("/apis/stable.example.com/v1/namespaces/default/crontabs", tab),
        ("/api/v1/namespaces/default/pods", POD),
    ):
        answer = api.handle(Request("POST", path, (), {"content-type": "application/json"}, msgspec.json.encode(body)))
        assert isinstance(answer, Response)
        assert answer.status == 201, answer.body
    return api


@cache
def documents() -> dict[str, Json]:
    api = fresh()
    index = json.loads(answer_of(api, "/openapi/v3").body)["paths"]
    return {place: json.loads(answer_of(api, f"/openapi/v3/{place}").body) for place in index}


def answer_of(api: Api, path: str) -> Response:
    answer = api.handle(Request("GET", path))
    assert isinstance(answer, Response)
    return answer


@cache
def operations() -> list[tuple[str, str, str, Json]]:
    """Returns (document, path, method, operation) of everything that can be asked."""
    return [
        (place, path, method, operation)
        for place, document in documents().items()
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
    ]


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_every_operation_is_answered(seed: int) -> None:
    api, draw = fresh(), random.Random(seed)
    for _ in range(40):
        place, path, method, operation = draw.choice(operations())
        stream = ask(api, request_of(draw, documents()[place], path, method, operation))
        if stream is not None:
            stream.close()


def request_of(draw: random.Random, document: Json, path: str, method: str, operation: Json) -> Request:
    for name, value in NAMED.items():
        path = path.replace(f"{{{name}}}", draw.choice((value, value, value, "b", "kube-system")))
    parameters = [each for each in operation.get("parameters", ()) if draw.randint(0, 4) == 0]
    query = tuple((each["name"], text(draw, each["schema"]["type"])) for each in parameters if each["name"] != "watch")
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return Request(method.upper(), path, query)
    media = draw.choice(sorted(content))
    kind = operation["x-kubernetes-group-version-kind"]
    body = body_of(draw, document, content[media]["schema"], kind, media)
    sent = "application/json" if media == "*/*" else media
    return Request(method.upper(), path, query, {"content-type": sent}, msgspec.json.encode(body))


def text(draw: random.Random, kind: str) -> str:
    choices = {"boolean": ("true", "false", "x"), "integer": ("0", "1", "-1", "x")}.get(
        kind, ("a", "All", "Strict", "")
    )
    return str(draw.choice(choices))


def body_of(draw: random.Random, document: Json, schema: Json, kind: Json, media: str) -> Any:
    if media == "application/json-patch+json":
        paths = ("/spec", "/metadata/labels", "/status/x", "", "/spec/replicas", "/metadata/finalizers/-")
        words = ("add", "remove", "replace", "test", "x")
        operation = {"op": draw.choice(words), "path": draw.choice(paths)}
        return [{**operation, "value": draw.choice(ODD)}]
    if schema.get("$ref", "").endswith(".Patch"):
        schema = own_schema(document, kind) or schema
    made = value(draw, document, schema, 5)
    made = made if isinstance(made, dict) else {}
    api_version = f"{kind['group']}/{kind['version']}" if kind["group"] else kind["version"]
    metadata = made.get("metadata") if isinstance(made.get("metadata"), dict) else {}
    head = {"apiVersion": api_version, "kind": kind["kind"]}
    return {**made, **head, "metadata": {**(metadata or {}), "name": draw.choice(("a", "a", "b", "c"))}}


def own_schema(document: Json, kind: Json) -> Json | None:
    for each in document["components"]["schemas"].values():
        if kind in each.get("x-kubernetes-group-version-kind", ()):
            return dict(each)
    return None


def value(draw: random.Random, document: Json, schema: Json, depth: int) -> Any:
    """Returns a value of a type, now and then one of another."""
    if draw.randint(0, 30) == 0:
        return draw.choice(ODD)
    for each in schema.get("allOf", ()):
        return value(draw, document, each, depth)
    if "$ref" in schema:
        return value(draw, document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth)
    if "enum" in schema and (draw.random() < 0.5):
        return draw.choice(schema["enum"])
    kind = schema.get("type") or draw.choice(("string", "integer"))
    if kind == "object":
        return fields(draw, document, schema, depth)
    if kind == "array":
        count = draw.randint(0, 2) if depth > 0 else 0
        return [value(draw, document, schema.get("items", {}), depth - 1) for _ in range(count)]
    if kind == "boolean":
        return draw.random() < 0.5
    if kind in ("integer", "number"):
        return draw.choice((0, 1, 3, -1, 80, 2**31))
    return draw.choice(TEXTS)


def fields(draw: random.Random, document: Json, schema: Json, depth: int) -> Json:
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        return {draw.choice(TEXTS): value(draw, document, rest, depth - 1)}
    known, wanted = schema.get("properties", {}), set(schema.get("required", ()))
    chosen = [name for name in known if name in wanted or (depth > 0 and draw.randint(0, 4) == 0)]
    return {name: value(draw, document, known[name], depth - 1) for name in chosen} if depth > -3 else {}
