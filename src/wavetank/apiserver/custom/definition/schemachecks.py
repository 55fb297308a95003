"""Checks of the JSON schema of a version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from wavetank.apiserver.custom.definition.defaultchecks import check_defaults
from wavetank.apiserver.custom.definition.fieldpaths import FieldPathError, follow
from wavetank.apiserver.custom.definition.internal import GO_NAMES, internal_schema
from wavetank.apiserver.custom.definition.rulechecks import check_rules_of
from wavetank.apiserver.custom.definition.structuralchecks import check_structural, unsupported_by_structural
from wavetank.apiserver.custom.schema.structural import META_FIELDS, Document
from wavetank.apiserver.fielderrors import FieldError, forbidden, invalid, required, unsupported

_X = "x-kubernetes-"
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_AT_ROOT = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "
    "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields "
    "XValidations"
)
# Fields for which Go distinguishes empty from missing.
_POINTERS = ("default", "example", "items", "not", "additionalProperties", f"{_X}preserve-unknown-fields")
_IF_STATUS = "at the root of the schema if the status subresource is enabled"
_UNSUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")


@dataclass(frozen=True, slots=True)
class _Place:
    """What holds at one place of a schema: why defaults are not allowed, and whether it is within metadata."""

    no_defaults: str | None = None
    in_metadata: bool = False


def check_schema(schema: Document, path: str, *, has_status: bool, unchanged: bool = False) -> list[FieldError]:
    """Returns what is wrong with the schema of a version; `path` is that of its validation.

    `has_status` says whether status is a path of its own, `unchanged` whether the schema was accepted before.
    """
    place = f"{path}.openAPIV3Schema"
    errors = list(_check_root(schema, place, has_status))
    why_not = unsupported_by_structural(schema)
    structural = check_structural(schema, place) or check_defaults(schema, place) if not why_not else []
    found = list(_check(schema, place, _Place(), root=True))
    errors += [*structural, *found]
    if not why_not and not structural:
        errors += check_rules_of(schema, place, found, unchanged=unchanged)
    if not errors and why_not:
        errors.append(invalid(place, "", why_not))
    return errors


def _check_root(schema: Document, path: str, has_status: bool) -> Iterator[FieldError]:
    if has_status:
        for go, name in GO_NAMES:
            value = schema.get(name)
            if value is None or (name not in _POINTERS and (value is False or value in ("", [], {}))):
                continue
            if go == "Type" and schema["type"] != "object":
                why = f'only "object" is allowed as the type {_IF_STATUS}'
                yield invalid(f"{path}.type", schema["type"], why)
                break
            if go not in _AT_ROOT.split():
                why = f"only [{_AT_ROOT}] fields are allowed {_IF_STATUS}"
                yield invalid(path, internal_schema(schema), why)
                break
    if schema.get("nullable"):
        yield forbidden(f"{path}.nullable", "nullable cannot be true at the root")


def _check(schema: Any, path: str, place: _Place, *, root: bool = False) -> Iterator[FieldError]:
    if not isinstance(schema, dict):
        return
    yield from _check_one(schema, path, place)
    if schema.get("uniqueItems"):
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield forbidden(f"{path}.uniqueItems", why)
    yield from _check_fields(schema, path, place, root)
    if schema.get("not") is not None:
        yield from _check(schema["not"], f"{path}.not", place)
    for name in ("allOf", "oneOf", "anyOf"):
        for i, each in enumerate(schema.get(name) or ()):
            yield from _check(each, f"{path}.{name}[{i}]", place)
    for name, each in (schema.get("definitions") or {}).items():
        yield from _check(each, f"{path}.definitions[{name}]", place)
    yield from _check_items(schema, path, place)
    yield from _check_kinds_of_lists(schema, path)
    yield from _check_rules(schema, path)


def _check_one(schema: Document, path: str, place: _Place) -> Iterator[FieldError]:
    kind, items = schema.get("type", ""), schema.get("items")
    if kind and kind not in _TYPES:
        yield unsupported(f"{path}.type", kind, _TYPES)
    if "default" in schema and place.no_defaults is not None:
        yield forbidden(f"{path}.default", f"must not be set {place.no_defaults}")
    for name in _UNSUPPORTED:
        if schema.get(name) not in (None, "", {}, []) or (name == "additionalItems" and name in schema):
            yield forbidden(f"{path}.{name}", f"{name} is not supported")
    if kind == "null":
        yield forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if isinstance(items, list):
        yield forbidden(f"{path}.items", "items must be a schema object and not an array")
    if place.in_metadata and schema.get(f"{_X}embedded-resource"):
        yield forbidden(f"{path}.{_X}embedded-resource", "must not be used inside of resource meta")


def _check_fields(schema: Document, path: str, place: _Place, root: bool) -> Iterator[FieldError]:
    rest, properties = schema.get("additionalProperties"), schema.get("properties") or {}
    if rest is not None:
        if properties and rest is not True:
            why = "additionalProperties and properties are mutual exclusive"
            yield forbidden(f"{path}.additionalProperties", why)
        why = "inside additionalProperties applying to object metadata"
        below = replace(place, no_defaults=why) if place.in_metadata else place
        yield from _check(rest, f"{path}.additionalProperties", below)
    for name, each in properties.items():
        below = place
        if (root or schema.get(f"{_X}embedded-resource")) and name in META_FIELDS:
            below = replace(below, in_metadata=True)
            if root:
                below = replace(below, no_defaults=f"in top-level {name}")
        yield from _check(each, f"{path}.properties[{name}]", below)


def _check_items(schema: Document, path: str, place: _Place) -> Iterator[FieldError]:
    items = schema.get("items")
    if items is None:
        return
    if isinstance(items, list):
        for i, each in enumerate(items):
            yield from _check(each, f"{path}.items[{i}]", place)
    else:
        yield from _check(items, f"{path}.items", place)


def _check_kinds_of_lists(schema: Document, path: str) -> Iterator[FieldError]:
    kind, list_type, map_type = schema.get("type", ""), schema.get(f"{_X}list-type"), schema.get(f"{_X}map-type")
    if schema.get(f"{_X}preserve-unknown-fields") is False:
        yield invalid(f"{path}.{_X}preserve-unknown-fields", False, "must be true or undefined")
    if map_type is not None:
        yield from _check_type(kind, "object", f"{path}.type", f"{_X}map-type")
        if map_type not in ("atomic", "granular"):
            yield unsupported(f"{path}.{_X}map-type", map_type, ("atomic", "granular"))
    if list_type is not None:
        yield from _check_type(kind, "array", f"{path}.type", f"{_X}list-type")
        if kind == "array" and list_type == "set":
            yield from _check_set(schema, path)
        if list_type not in ("atomic", "set", "map"):
            yield unsupported(f"{path}.{_X}list-type", list_type, ("atomic", "set", "map"))
    if schema.get(f"{_X}list-map-keys") and list_type != "map":
        why = f"must be map if {_X}list-map-keys is non-empty"
        place = f"{path}.{_X}list-type"
        yield required(place, why) if list_type is None else invalid(place, list_type, why)
    if list_type == "map":
        yield from _check_map(schema, path)
    if list_type in ("set", "map"):
        yield from _check_keys(schema, path, list_type)


def _check_type(kind: str, wanted: str, path: str, because: str) -> Iterator[FieldError]:
    why = f"must be {wanted} if {because} is specified"
    if kind != wanted:
        yield invalid(path, kind, why) if kind else required(path, why)


def _check_set(schema: Document, path: str) -> Iterator[FieldError]:
    items, why = schema.get("items"), f"must be atomic as item of a list with {_X}list-type=set"
    if not isinstance(items, dict):
        return
    list_type = items.get(f"{_X}list-type")
    if items.get("type") == "array" and list_type not in (None, "atomic"):
        yield invalid(f"{path}.items.{_X}list-type", list_type, why)
    if items.get("type") == "object" and items.get(f"{_X}map-type") != "atomic":
        yield invalid(f"{path}.items.{_X}map-type", list_type, why)


def _check_map(schema: Document, path: str) -> Iterator[FieldError]:
    keys, items = schema.get(f"{_X}list-map-keys") or [], schema.get("items")
    if not keys:
        yield required(f"{path}.{_X}list-map-keys", f"must not be empty if {_X}list-type is map")
    if items is None:
        yield required(f"{path}.items", f"must have a schema if {_X}list-type is map")
    elif isinstance(items, list):
        shown = {"Schema": None, "JSONSchemas": [internal_schema(each) for each in items]}
        yield invalid(f"{path}.items", shown, f"must only have a single schema if {_X}list-type is map")
    elif items.get("type", "") != "object":
        why = f"must be object if parent array's {_X}list-type is map"
        yield invalid(f"{path}.items.type", items.get("type", ""), why)
    else:
        yield from _check_key_fields(items, keys, path)


def _check_key_fields(items: Document, keys: list[str], path: str) -> Iterator[FieldError]:
    properties, place = items.get("properties") or {}, f"{path}.{_X}list-map-keys"
    for i, key in enumerate(keys):
        if key not in properties:
            yield invalid(place, keys, "entries must all be names of item properties")
        elif properties[key].get("type") in ("array", "object"):
            why = f"must be a scalar type if parent array's {_X}list-type is map"
            yield invalid(f"{path}.items.properties[{key}].type", items["type"], why)
        if key in keys[:i]:
            yield invalid(place, keys, "must not contain duplicate entries")


def _check_keys(schema: Document, path: str, list_type: str) -> Iterator[FieldError]:
    items = schema.get("items")
    if not isinstance(items, dict):
        return
    if items.get("nullable"):
        yield forbidden(f"{path}.items.nullable", f"cannot be nullable when {_X}list-type is {list_type}")
    if list_type != "map":
        return
    subject = f"this property is in {_X}list-map-keys, so it"
    for key in schema.get(f"{_X}list-map-keys") or ():
        found, place = (items.get("properties") or {}).get(key), f"{path}.items.properties[{key}]"
        if found is None:
            continue
        if key not in (items.get("required") or ()) and "default" not in found:
            yield required(f"{place}.default", f"{subject} must have a default or be a required property")
        if found.get("nullable"):
            yield forbidden(f"{place}.nullable", f"{subject} cannot be nullable")


def _check_rules(schema: Document, path: str) -> Iterator[FieldError]:
    for i, rule in enumerate(schema.get(f"{_X}validations") or ()):
        yield from _check_rule(rule, schema, f"{path}.{_X}validations[{i}]")


def _check_rule(rule: Document, schema: Document, path: str) -> Iterator[FieldError]:
    text, message = rule.get("rule", ""), rule.get("message", "")
    if not text.strip():
        yield required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _has_breaks(message.strip()):
        yield invalid(f"{path}.message", message, "must not contain line breaks")
    elif _has_breaks(text.strip()) and not message.strip():
        yield required(f"{path}.message", "message must be specified if rule contains line breaks")
    expression, place = rule.get("messageExpression", ""), rule.get("fieldPath", "")
    if expression and not expression.strip():
        yield required(f"{path}.messageExpression", "messageExpression must be non-empty if specified")
    if rule.get("reason") is not None and rule["reason"] not in _REASONS:
        yield unsupported(f"{path}.reason", rule["reason"], _REASONS)
    if place and not place.strip():
        yield invalid(f"{path}.fieldPath", place, "must be non-empty if specified")
    if _has_breaks(place):
        yield invalid(f"{path}.fieldPath", place, "must not contain line breaks")
    if place and not _leads_somewhere(place, schema):
        yield invalid(f"{path}.fieldPath", place, "must be a valid path")


def _has_breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _leads_somewhere(path: str, schema: Document) -> bool:
    if unsupported_by_structural(schema):
        return True
    try:
        follow(path, schema)
    except FieldPathError:
        return False
    return True
