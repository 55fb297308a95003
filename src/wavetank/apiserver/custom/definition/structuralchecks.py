"""Checks that a schema is structural: every field has a type, and logical junctors only restrict it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.custom.schema.structural import Document
from wavetank.apiserver.fielderrors import FieldError, forbidden, invalid, required
from wavetank.cel.patterns import PatternError, go_pattern

_X = "x-kubernetes-"
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_ROOT, _ITEM, _FIELD = "at the root", "for specified array items", "for specified object fields"
_OBJECT = f"must be object if {_X}embedded-resource is true"
_NOT_HERE = "must not specify anything other than name and generateName, but metadata is implicitly specified"
# Fields that are forbidden below logical junctors, and the message about them.
_FORBIDDEN = {
    "type": "must be empty to be structural",
    "additionalProperties": "must be undefined to be structural",
    "default": "must be undefined to be structural",
    "title": "must be empty to be structural",
    "description": "must be empty to be structural",
    "nullable": "must be false to be structural",
    f"{_X}preserve-unknown-fields": "must be false to be structural",
    f"{_X}embedded-resource": "must be false to be structural",
    f"{_X}int-or-string": "must be false to be structural",
    f"{_X}list-map-keys": "must be empty to be structural",
    f"{_X}list-type": "must be undefined to be structural",
    f"{_X}map-type": "must be undefined to be structural",
    f"{_X}validations": "must be empty to be structural",
}
_UNSUPPORTED = {
    "id": "id",
    "$schema": "schema",
    "$ref": "$ref",
    "patternProperties": "patternProperties",
    "dependencies": "dependencies",
    "additionalItems": "additionalItems",
    "definitions": "definitions",
}


def unsupported_by_structural(schema: Any) -> str:
    """Says why no structural schema can be made of a JSON schema; "" if one can."""
    if not isinstance(schema, dict):
        return ""
    for name, shown in _UNSUPPORTED.items():
        if schema.get(name) not in (None, "", {}, []):
            return f"OpenAPIV3Schema '{shown}' is not supported"
    if schema.get(f"{_X}preserve-unknown-fields") is False:
        return f"internal error: '{_X}preserve-unknown-fields' must be true or undefined"
    if isinstance(schema.get("items"), list):
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    inner = [each for name in ("allOf", "anyOf", "oneOf") for each in schema.get(name) or ()]
    inner += [schema.get("not"), schema.get("items"), *(schema.get("properties") or {}).values()]
    inner.append(schema.get("additionalProperties"))
    return next((why for each in inner if (why := unsupported_by_structural(each))), "")


def check_structural(schema: Document, path: str) -> list[FieldError]:
    """Returns what is not structural in a schema, sorted by the text."""
    errors = [*_check_place(schema, _ROOT, path), *_check_complete(schema, schema, path, path)]
    return sorted(errors, key=str)


def _check_place(schema: Document, level: str, path: str) -> Iterator[FieldError]:
    kind, items = schema.get("type", ""), schema.get("items")
    if kind == "array" and items is None:
        yield required(f"{path}.items", "must be specified")
    if isinstance(items, dict):
        yield from _check_place(items, _ITEM, f"{path}.items")
    properties = schema.get("properties") or {}
    for name, each in properties.items():
        yield from _check_place(each, _FIELD, f"{path}.properties[{name}]")
    rest = schema.get("additionalProperties")
    if rest is not None:
        if level == _ROOT:
            yield forbidden(f"{path}.additionalProperties", "must not be used at the root")
        if isinstance(rest, dict):
            yield from _check_place(rest, _FIELD, f"{path}.additionalProperties")
    yield from _check_extensions(schema, path)
    anyof, allof = schema.get("anyOf"), schema.get("allOf") or []
    first = bool(allof) and allof[0].get("anyOf") == _INT_OR_STRING
    yield from _check_logic(schema, path, skip_any=anyof == _INT_OR_STRING, skip_first=first)
    yield from _check_type(schema, level, path)
    yield from _check_meta(schema, properties, level, path)


def _check_extensions(schema: Document, path: str) -> Iterator[FieldError]:
    if schema.get(f"{_X}int-or-string"):
        for name in ("preserve-unknown-fields", "embedded-resource"):
            if schema.get(_X + name):
                yield invalid(f"{path}.{_X}{name}", True, f"must be false if {_X}int-or-string is true")


def _check_type(schema: Document, level: str, path: str) -> Iterator[FieldError]:
    kind, embedded = schema.get("type", ""), schema.get(f"{_X}embedded-resource")
    loose = schema.get(f"{_X}int-or-string") or schema.get(f"{_X}preserve-unknown-fields")
    if embedded and kind != "object":
        yield invalid(f"{path}.type", kind, _OBJECT) if kind else required(f"{path}.type", _OBJECT)
    elif not kind and not loose:
        yield required(f"{path}.type", f"must not be empty {level}")
    if embedded and schema.get("additionalProperties") is not None:
        yield forbidden(f"{path}.additionalProperties", f"must not be used if {_X}embedded-resource is set")
    if level == _ROOT and kind and kind != "object":
        yield invalid(f"{path}.type", kind, "must be object at the root")


def _check_meta(schema: Document, properties: Document, level: str, path: str) -> Iterator[FieldError]:
    embedded = bool(schema.get(f"{_X}embedded-resource"))
    if level == _ROOT or embedded:
        for name in ("kind", "apiVersion"):
            if name in properties and properties[name].get("type", "") != "string":
                place = f"{path}.properties[{name}].type"
                yield invalid(place, properties[name].get("type", ""), "must be string")
    if "metadata" in properties:
        metadata, place = properties["metadata"], f"{path}.properties[metadata]"
        if (level == _ROOT or embedded) and metadata.get("type", "") != "object":
            yield invalid(f"{place}.type", metadata.get("type", ""), "must be object")
        if level == _ROOT and _says_more(metadata):
            yield forbidden(place, _NOT_HERE)
    if embedded and not schema.get(f"{_X}preserve-unknown-fields") and not properties:
        why = f"must not be empty if {_X}embedded-resource is true without {_X}preserve-unknown-fields"
        yield required(f"{path}.properties", why)


def _says_more(metadata: Document) -> bool:
    ignored = {"type", "default", "externalDocs", "example"}
    rest = {name: value for name, value in metadata.items() if name not in ignored and value not in ({}, [], None)}
    if rest.get("properties", {}).keys() <= {"name", "generateName"}:
        rest.pop("properties", None)
    return bool(rest)


def _check_logic(
    schema: Document, path: str, *, skip_any: bool = False, skip_first: bool = False
) -> Iterator[FieldError]:
    if not skip_any:
        for i, each in enumerate(schema.get("anyOf") or ()):
            yield from _check_nested(each, f"{path}.anyOf[{i}]")
    for i, each in enumerate(schema.get("allOf") or ()):
        yield from _check_nested(each, f"{path}.allOf[{i}]", skip_any=skip_first and i == 0)
    for i, each in enumerate(schema.get("oneOf") or ()):
        yield from _check_nested(each, f"{path}.oneOf[{i}]")
    if schema.get("not") is not None:
        yield from _check_nested(schema["not"], f"{path}.not")
    if pattern := schema.get("pattern"):
        try:
            go_pattern(pattern)
        except PatternError as error:
            why = f"must be a valid regular expression, but isn't: {error}"
            yield invalid(f"{path}.pattern", pattern, why)


def _check_nested(schema: Document, path: str, *, skip_any: bool = False) -> Iterator[FieldError]:
    yield from _check_logic(schema, path, skip_any=skip_any)
    if isinstance(schema.get("items"), dict):
        yield from _check_nested(schema["items"], f"{path}.items")
    properties = schema.get("properties") or {}
    for name, each in properties.items():
        yield from _check_nested(each, f"{path}.properties[{name}]")
    for name, why in _FORBIDDEN.items():
        value = schema.get(name)
        if value is not None and (value or name in ("additionalProperties", "default")):
            is_schema = name != "additionalProperties" or isinstance(value, dict)
            if is_schema:
                yield forbidden(f"{path}.{name}", why)
    if "metadata" in properties:
        yield forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _check_complete(logic: Document, schema: Document | None, path: str, where: str) -> Iterator[FieldError]:
    """Checks that what logic speaks of is there outside of it; `where` is the place of the logic."""
    for name in ("not", "allOf", "anyOf", "oneOf"):
        found = logic.get(name)
        if isinstance(found, dict):
            yield from _check_nested_complete(found, schema, path, f"{where}.{name}")
        for i, each in enumerate(found if isinstance(found, list) else ()):
            yield from _check_nested_complete(each, schema, path, f"{where}.{name}[{i}]")


def _check_nested_complete(logic: Document, schema: Document | None, path: str, where: str) -> Iterator[FieldError]:
    if schema is None:
        yield required(path, f"because it is defined in {where}")
        return
    yield from _check_complete(logic, schema, path, where)
    if isinstance(logic.get("items"), dict):
        items = schema.get("items")
        inner = items if isinstance(items, dict) else None
        yield from _check_nested_complete(logic["items"], inner, f"{path}.items", f"{where}.items")
    known = schema.get("properties") or {}
    for name, each in (logic.get("properties") or {}).items():
        place, source = f"{path}.properties[{name}]", f"{where}.properties[{name}]"
        if name in known:
            yield from _check_nested_complete(each, known[name], place, source)
        else:
            yield required(place, f"because it is defined in {source}")
