"""OpenAPI documents, as far as clients read them: which parameters a kind takes, and the fields of its types."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from wavetank.apiserver.kinds import Kind, KindTable, Schema
from wavetank.apiserver.request import Request, Response

Json = dict[str, Any]

_ROOT = "/openapi/v3"
_TYPES: dict[str, Json] = {
    "quantity": {"type": "string"},
    "duration": {"type": "string"},
    "time": {"type": "string", "format": "date-time"},
    "microtime": {"type": "string", "format": "date-time"},
    "bytes": {"type": "string", "format": "byte"},
    "int-or-string": {"type": "string", "format": "int-or-string"},
    "any": {"type": "object"},
}
_FORMATS = {"float64": "double"}
_WRITE_PARAMETERS = ("dryRun", "fieldManager", "fieldValidation")


class OpenApi:
    """Answers what is below /openapi/v3: an index, and one document for each group and version.

    The documents have no descriptions. kubectl reads them before it creates or applies a file, to see that the
    server validates fields by itself, and for `kubectl explain`.
    """

    def __init__(self, kinds: KindTable) -> None:
        self._kinds = kinds

    def respond(self, request: Request) -> Response | None:
        """Returns the answer to a GET, None if it asks for something else."""
        if request.method != "GET" or not request.path.startswith(_ROOT):
            return None
        place = request.path.removeprefix(_ROOT).strip("/")
        if not place:
            return _json({"paths": {path: _link(path, kinds) for path, kinds in self._versions().items()}})
        kinds = self._versions().get(place)
        return _json(_document(place, kinds)) if kinds else None

    def _versions(self) -> dict[str, list[Kind]]:
        """Returns the kinds by the path of their group and version: api/v1, apis/apps/v1."""
        versions: dict[str, list[Kind]] = {}
        for kind in self._kinds:
            path = f"apis/{kind.api_version}" if kind.group else f"api/{kind.version}"
            versions.setdefault(path, []).append(kind)
        return versions


def _json(document: Json) -> Response:
    return Response(200, [("content-type", "application/json")], msgspec.json.encode(document))


def _link(path: str, kinds: list[Kind]) -> Json:
    """Names a document with a hash of what is in it, by which clients cache it."""
    content = " ".join(kind.plural for kind in kinds)
    digest = hashlib.sha256(f"1 {content}".encode()).hexdigest().upper()
    return {"serverRelativeURL": f"{_ROOT}/{path}?hash={digest}"}


def _document(path: str, kinds: list[Kind]) -> Json:
    paths: Json = {}
    schemas: Json = {}
    for kind in kinds:
        paths.update(_paths(path, kind))
        _add_schema(kind.schema, schemas)
        schemas[_name(kind.schema)]["x-kubernetes-group-version-kind"] = [_gvk(kind)]
    info = {"title": "Kubernetes", "version": "v1"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _paths(prefix: str, kind: Kind) -> Iterator[tuple[str, Json]]:
    root = f"/{prefix}/namespaces/{{namespace}}/{kind.plural}" if kind.namespaced else f"/{prefix}/{kind.plural}"
    yield root, {"get": _operation(kind, "list"), "post": _operation(kind, "post", *_WRITE_PARAMETERS)}
    if "patch" in kind.verbs:
        writes = {method: _operation(kind, method, *_WRITE_PARAMETERS) for method in ("put", "patch")}
        yield f"{root}/{{name}}", {"get": _operation(kind, "get"), **writes}


def _operation(kind: Kind, action: str, *parameters: str) -> Json:
    return {
        "parameters": [{"name": name, "in": "query", "schema": {"type": "string"}} for name in parameters],
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _gvk(kind),
    }


def _gvk(kind: Kind) -> Json:
    return {"group": kind.group, "kind": kind.kind, "version": kind.version}


def _add_schema(schema: Schema, schemas: Json) -> None:
    """Adds an object type and all that it is made of."""
    name = _name(schema)
    if name in schemas:
        return
    properties: Json = {}
    schemas[name] = {"type": "object", "properties": properties}
    if schema.required:
        schemas[name]["required"] = sorted(schema.required)
    for field, each in schema.fields.items():
        properties[field] = _property(each, schemas)


def _property(schema: Schema, schemas: Json) -> Json:
    if schema.type == "object":
        _add_schema(schema, schemas)
        return {"$ref": f"#/components/schemas/{_name(schema)}"}
    if schema.type in ("array", "map"):
        items = _property(schema.items, schemas) if schema.items else {}
        return {"type": "array", "items": items} if schema.type == "array" else {"type": "object", _REST: items}
    if schema.type in _TYPES:
        return _TYPES[schema.type]
    stated = {"format": _FORMATS.get(schema.format, schema.format)} if schema.format else {}
    return {"type": schema.type, **stated}


_REST = "additionalProperties"


def _name(schema: Schema) -> str:
    """Returns what the real documents call a type: io.k8s.api.core.v1.PodSpec."""
    name = schema.structure.name
    if name.startswith("meta."):
        return f"io.k8s.apimachinery.pkg.apis.{name}"
    return f"io.k8s.api.{name}"
