"""Whole documents, in both versions of OpenAPI."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.openapi.paths import Operation, paths_of
from wavetank.apiserver.openapi.types import Types
from wavetank.apiserver.schemas.schema import Schema
from wavetank.cluster.releases import SERVED

Json = dict[str, Any]

_WORDS = {200: "OK", 201: "Created", 202: "Accepted"}
_INFO = {"title": "Kubernetes", "version": SERVED.name}
_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_PATCH = f"{_META}.Patch"
# What a refusal is made of, for clients that generate code.
_REFUSALS = {
    "Status": {
        "apiVersion": "string",
        "code": "integer",
        "details": "StatusDetails",
        "kind": "string",
        "message": "string",
        "metadata": "ListMeta",
        "reason": "string",
        "status": "string",
    },
    "StatusDetails": {
        "causes": "[]StatusCause",
        "group": "string",
        "kind": "string",
        "name": "string",
        "retryAfterSeconds": "integer",
        "uid": "string",
    },
    "StatusCause": {"field": "string", "message": "string", "reason": "string"},
}


def document_3(kinds: Iterable[Kind], shared: Iterable[Schema]) -> Json:
    """Returns the document of a group and version; `shared` are the types of options and refusals."""
    types = Types("#/components/schemas/", version=3)
    paths: Json = {}

    def item(operation: Operation) -> Json:
        return _operation_3(operation, types)

    for kind in kinds:
        for path, made in paths_of(kind, types, item):
            names = made.pop("parameters", ())
            parameters = [_parameter_3(name, "path", "string") for name in names]
            paths[path] = {**made, "parameters": [*parameters, _parameter_3("pretty", "query", "string")]}
    _add_shared(types, shared)
    return {
        "openapi": "3.0.0",
        "info": _INFO,
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": dict(sorted(types.found.items()))},
    }


def document_2(kinds: Iterable[Kind], shared: Iterable[Schema]) -> Json:
    """Returns the one document of version 2."""
    types = Types("#/definitions/", version=2)
    paths: Json = {}

    def item(operation: Operation) -> Json:
        return _operation_2(operation, types)

    for kind in kinds:
        for path, made in paths_of(kind, types, item):
            names = made.pop("parameters", ())
            paths[path] = {**made, "parameters": [_parameter_2(name, "path", "string") for name in names]}
    _add_shared(types, shared)
    definitions = dict(sorted(types.found.items()))
    return {"swagger": "2.0", "info": _INFO, "paths": dict(sorted(paths.items())), "definitions": definitions}


def _add_shared(types: Types, shared: Iterable[Schema]) -> None:
    for each in shared:
        types.add_schema(each)
    types.found.setdefault(_PATCH, {"type": "object"})
    for name, fields in _REFUSALS.items():
        types.found.setdefault(f"{_META}.{name}", {"type": "object", "properties": _fields(fields, types)})


def _fields(fields: dict[str, str], types: Types) -> Json:
    return {name: _field(kind, types) for name, kind in fields.items()}


def _field(kind: str, types: Types) -> Json:
    if kind.startswith("[]"):
        return {"type": "array", "items": types.use(f"{_META}.{kind[2:]}")}
    if kind == "integer":
        return {"type": "integer", "format": "int32"}
    return {"type": kind} if kind.islower() else types.use(f"{_META}.{kind}")


def _operation_3(operation: Operation, types: Types) -> Json:
    made: Json = {"tags": [operation.tag], "operationId": operation.identifier}
    if operation.query:
        made["parameters"] = [_parameter_3(name, "query", kind) for name, kind in operation.query.items()]
    if operation.body is not None:
        name, media = operation.body
        required = {"required": True} if operation.verb != "delete" else {}
        made["requestBody"] = {"content": _content(types, name, media), **required}
    content = _content(types, *operation.answer)
    made["responses"] = {str(code): {"description": _WORDS[code], "content": content} for code in operation.codes}
    made["responses"]["401"] = {"description": "Unauthorized"}
    return {**made, "x-kubernetes-action": operation.action, "x-kubernetes-group-version-kind": operation.marked}


def _content(types: Types, name: str, media: Iterable[str]) -> Json:
    return {each: {"schema": types.reference(name)} for each in media}


def _parameter_3(name: str, place: str, kind: str) -> Json:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, **required, "schema": {"type": kind, "uniqueItems": True}}


def _operation_2(operation: Operation, types: Types) -> Json:
    made: Json = {"tags": [operation.tag], "operationId": operation.identifier}
    parameters = [_parameter_2(name, "query", kind) for name, kind in operation.query.items()]
    if operation.body is not None:
        name, media = operation.body
        body = {"name": "body", "in": "body", "required": operation.verb != "delete", "schema": types.reference(name)}
        parameters.insert(0, body)
        made["consumes"] = list(media)
    name, media = operation.answer
    made |= {"produces": list(media), "parameters": parameters}
    answer = types.reference(name)
    made["responses"] = {str(code): {"description": _WORDS[code], "schema": answer} for code in operation.codes}
    made["responses"]["401"] = {"description": "Unauthorized"}
    return {**made, "x-kubernetes-action": operation.action, "x-kubernetes-group-version-kind": operation.marked}


def _parameter_2(name: str, place: str, kind: str) -> Json:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, **required, "type": kind, "uniqueItems": True}
