"""Schemas of custom resources as the real server publishes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]

_PRESERVES, _EMBEDS = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"
_UNPUBLISHED = frozenset(("$schema", "example", "externalDocs", "id"))
_JUNCTORS = frozenset(("allOf", "anyOf", "not", "oneOf"))  # which version 2 does not have


def publish(schema: Mapping[str, Any], head: Json, *, version: int) -> Json:
    """Returns the schema of a kind in a version of OpenAPI; `head` are apiVersion, kind and metadata of any object.

    In version 2 a kind that keeps unknown fields is just an object, since kubectl would refuse them otherwise.
    """
    if version == 2 and schema.get(_PRESERVES):
        return {"type": "object"}
    made = _published(schema, head, version)
    return {**made, "type": "object", "properties": {**made.get("properties", {}), **head}}


def _published(schema: Mapping[str, Any], head: Json, version: int) -> Json:
    made = {name: each for name, each in schema.items() if name not in _UNPUBLISHED}
    made = _limited(made) if version == 2 else made
    if "properties" in made:
        made["properties"] = {name: _published(each, head, version) for name, each in made["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(made.get(name), dict):
            made[name] = _published(made[name], head, version)
    if made.get(_EMBEDS) and not (version == 2 and made.get(_PRESERVES)):
        required = made.get("required", [])
        made["properties"] = {**made.get("properties", {}), **head}
        made["required"] = [*required, *(name for name in ("kind", "apiVersion") if name not in required)]
    return made


def _limited(schema: Json) -> Json:
    """Returns what version 2, and kubectl's reading of it, can express of one level of a schema."""
    made = {name: each for name, each in schema.items() if name not in _JUNCTORS and name != "nullable"}
    if schema.get("nullable"):
        made.pop("type", None)
    if schema.get("nullable") or schema.get(_PRESERVES):
        made.pop("items", None)
        made.pop("properties", None)
    untyped = ("array",) if "items" not in made else ()
    if made.get("type") in (*untyped, *(("object",) if schema.get(_PRESERVES) else ())):
        made.pop("type")
    return _without_nullable(made)


def _without_nullable(schema: Json) -> Json:
    """Returns a schema that does not require fields which may be null."""
    values = schema.get("additionalProperties")
    if isinstance(values, dict) and values.get("nullable"):
        return {name: each for name, each in schema.items() if name != "required"}
    nullable = {name for name, each in schema.get("properties", {}).items() if each.get("nullable")}
    if nullable.intersection(schema.get("required", ())):
        kept = [name for name in schema["required"] if name not in nullable]
        schema = {name: each for name, each in schema.items() if name != "required"}
        return {**schema, "required": kept} if kept else schema
    return schema
