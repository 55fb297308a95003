"""The OpenAPI document of the interface, made from the table of routes."""

from __future__ import annotations

from typing import Any

import msgspec

from wavetank.batchoperator.esi.broadcast import ADDED, BOOKMARK, DELETED, MODIFIED, TOPICS
from wavetank.batchoperator.esi.external import (
    ExternalBatchJob,
    ExternalError,
    ExternalScheduling,
    ExternalTestbed,
)
from wavetank.batchoperator.esi.routes import ROUTES, Route
from wavetank.version import __version__

Schema = dict[str, Any]

_REFERENCE = "#/components/schemas/{name}"
_COMMON = {
    401: "The request has no valid token.",
    403: "The request comes from a web page of another site, or names another host.",
    503: "The Kubernetes API cannot be reached.",
}
_DESCRIPTION = (
    "An external scheduler queries testbeds, their slots and jobs, and creates schedulings: a queue of jobs, or jobs "
    "with fixed slots. Changes are streamed by /external/stream (Server-Sent Events, or a WebSocket), and by STOMP "
    "over a WebSocket on /scheduler: /topic/KIND has the names of changed resources, /topic/KIND/NAME the whole one; "
    "KIND is testbeds, jobs or schedulings."
)


def openapi() -> Schema:
    """Returns the document, in version 3.1 of OpenAPI."""
    types = [route.result for route in ROUTES] + [ExternalError]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REFERENCE)
    paths: dict[str, Schema] = {}
    for route, schema in zip(ROUTES, schemas, strict=False):
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema)
    paths["/external/stream"] = {"get": _stream()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "External Scheduler Interface", "version": __version__, "description": _DESCRIPTION},
        "paths": paths,
        "components": {
            "schemas": {**components, "Event": _event()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(route: Route, result: Schema) -> Schema:
    responses = {"200": {"description": "Done.", "content": _json(result)}}
    for status, description in sorted({**(route.refusals or {}), **_COMMON}.items()):
        content = {} if status == 304 else {"content": _json(_refer(ExternalError.__name__))}
        responses[str(status)] = {"description": description, **content}
    operation: Schema = {"operationId": route.operation, "summary": route.summary, "responses": responses}
    if "{name}" in route.path:
        operation["parameters"] = [{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}]
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": _json(_refer(route.body.__name__))}
    return operation


def _stream() -> Schema:
    topics = {"type": "array", "items": {"enum": list(TOPICS)}}
    return {
        "operationId": "stream",
        "summary": "The present resources, a BOOKMARK, then every change; also as a WebSocket with one event a message",
        "parameters": [{"name": "topic", "in": "query", "schema": topics, "explode": True}],
        "responses": {
            "200": {
                "description": "Server-Sent Events, whose data is an Event in JSON.",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            **{str(status): {"description": text} for status, text in _COMMON.items()},
        },
    }


def _event() -> Schema:
    resources = (ExternalTestbed, ExternalBatchJob, ExternalScheduling)
    return {
        "description": "An event of /external/stream; a BOOKMARK has no other fields.",
        "type": "object",
        "properties": {
            "action": {"enum": [ADDED, MODIFIED, DELETED, BOOKMARK]},
            "topic": {"enum": list(TOPICS)},
            "name": {"type": "string"},
            "resource": {"anyOf": [_refer(each.__name__) for each in resources]},
        },
        "required": ["action"],
    }


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def _refer(name: str) -> Schema:
    return {"$ref": _REFERENCE.format(name=name)}
