"""How CustomResourceDefinitions themselves are completed and written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from wavetank.apiserver.codec.canonical import canonical
from wavetank.apiserver.custom.definition.conditions import CLEANUP, MARKED, with_conditions
from wavetank.apiserver.custom.schema.formats import known_format
from wavetank.apiserver.custom.schema.structural import Document
from wavetank.apiserver.schemas.records import Records, StructureTable
from wavetank.apiserver.schemas.schema import Schema
from wavetank.apiserver.strategies.strategy import Termination, WriteContext
from wavetank.cel.gotext import quote

_LISTS = ("allOf", "anyOf", "oneOf")


def default_definition(definition: Document) -> None:
    """Gives a definition the names and the conversion that it does not state."""
    spec = definition.setdefault("spec", {})
    names = spec.setdefault("names", {})
    if not names.get("singular"):
        names["singular"] = names.get("kind", "").lower()
    if not names.get("listKind") and names.get("kind"):
        names["listKind"] = f"{names['kind']}List"
    for version in spec.get("versions") or ():
        if (root := (version.get("schema") or {}).get("openAPIV3Schema")) is not None:
            _complete(root)
    spec["conversion"] = spec.get("conversion") or {"strategy": "None"}
    service = ((spec["conversion"].get("webhook") or {}).get("clientConfig") or {}).get("service")
    if service is not None and service.get("port") is None:
        service["port"] = 443
    status = definition.setdefault("status", {})
    if not status.get("storedVersions"):
        _note_storage(definition)


def _complete(schema: Document) -> None:
    """Reads, in place, the schemas that stand where a list or a bool could stand too, as the others were read."""
    for name in ("items", "additionalProperties", "additionalItems"):
        found = schema.get(name)
        if isinstance(found, dict):
            schema[name] = canonical(_properties(), found)
        elif isinstance(found, list):
            schema[name] = [canonical(_properties(), each) for each in found]
    for each in _children(schema):
        _complete(each)


@cache
def _properties() -> Schema:
    return StructureTable(Records.load().structures).schema("apiextensions.v1.JSONSchemaProps")


def prepare_definition(definition: Document, context: WriteContext) -> None:
    """Gives a new definition its status: the version in which objects are stored."""
    definition["status"] = {"acceptedNames": {"plural": "", "kind": ""}, "conditions": None, "storedVersions": []}
    _note_storage(definition)


def prepare_definition_update(new: Document, old: Document, context: WriteContext) -> None:
    """Adds a new storage version to the stored versions."""
    new["status"] = {**old["status"], "storedVersions": list(old["status"].get("storedVersions") or ())}
    _note_storage(new)


def _note_storage(definition: Document) -> None:
    stored = definition["status"].get("storedVersions") or []
    name = next((each["name"] for each in definition["spec"].get("versions") or () if each.get("storage")), None)
    if name is not None and name not in stored:
        definition["status"]["storedVersions"] = [*stored, name]


def _mark(definition: Document, now: str) -> None:
    """Marks a definition as terminating; its objects are deleted before it."""
    metadata = definition["metadata"]
    metadata["deletionTimestamp"] = now
    metadata["finalizers"] = list(dict.fromkeys([*(metadata.get("finalizers") or ()), CLEANUP]))
    definition["status"] = with_conditions(definition, now, MARKED)["status"]


TERMINATION = Termination(_mark, propagates=False)


def definition_warnings(new: Document, old: Document | None = None) -> Iterator[str]:
    """Yields warnings about a definition: unknown formats."""
    before = set(_unknown_formats(old)) if old is not None else set()
    for name in _unknown_formats(new):
        if name not in before:
            yield f"unrecognized format {quote(name)}"


def _unknown_formats(definition: Document) -> list[str]:
    schemas = [(each.get("schema") or {}).get("openAPIV3Schema") for each in definition["spec"].get("versions") or ()]
    if schemas and all(each == schemas[0] for each in schemas):
        schemas = schemas[:1]  # the real server keeps equal ones once
    found = [each for schema in schemas if schema for each in parts_of(schema)]
    strings = (each["format"] for each in found if each.get("format") and each.get("type") == "string")
    return [name for name in strings if known_format(name) is None]


def parts_of(schema: Any) -> Iterator[Document]:
    """Yields a JSON schema and all schemas in it."""
    if isinstance(schema, dict):
        yield schema
        for each in _children(schema):
            yield from parts_of(each)


def _children(schema: Document) -> Iterator[Document]:
    items = schema.get("items")
    found: list[Any] = items if isinstance(items, list) else [items]
    found = [*found, *(each for name in _LISTS for each in schema.get(name) or ())]
    found += (schema.get("not"), schema.get("additionalProperties"), schema.get("additionalItems"))
    for name in ("properties", "patternProperties", "definitions", "dependencies"):
        found += (schema.get(name) or {}).values()
    yield from (each for each in found if isinstance(each, dict))
