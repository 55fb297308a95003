"""Documents as the real server writes them back: Go's order of fields, Go's idea of what is empty."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.codec.mismatch import MismatchError, json_type
from wavetank.apiserver.codec.scalars import SCALARS, ZEROS
from wavetank.apiserver.schemas.schema import Schema, Structure


class UnknownFieldsError(Exception):
    """The document has fields that its type does not have."""


def canonical(schema: Schema, document: dict[str, Any], *, strict: bool = False) -> dict[str, Any]:
    """Returns what Go writes after it has read `document`: a new document, of which nothing is shared but raw JSON.

    Nulls and zeros that cannot be told from missing fields are left out, fields that are always shown are there,
    quantities and times are in their canonical form, unknown fields are dropped. Raises an UnreadableError where a
    value has the wrong type (without the field's path: that is `diagnose`'s job), and if `strict` an
    UnknownFieldsError where fields are unknown.
    """
    return _object(schema.structure, document, strict)


def zero_of(schema: Schema) -> Any:
    """Returns what Go writes for an unset value."""
    if schema.pointer:
        return None
    if schema.type == "object":
        return {key: zero_of(field) for key, field in schema.structure.shown}
    return ZEROS[schema.type]


def _object(structure: Structure, raw: Any, strict: bool) -> dict[str, Any]:
    result = {}
    seen = 0
    for key, field, kind, keeps_zero, always in structure.rows:
        if key in raw:
            seen += 1
            value = raw[key]
            if value is not None and (kind != "string" or type(value) is not str):
                value = _value(field, value, strict)
            if value or (keeps_zero and value is not None):
                result[key] = value
                continue
        if always:
            result[key] = zero_of(field)
    if strict and seen < len(raw):
        raise UnknownFieldsError
    return result


def _value(schema: Schema, value: Any, strict: bool) -> Any:
    kind = schema.type
    if kind == "object":
        if type(value) is not dict:
            raise MismatchError(json_type(value), schema.go_type)
        return _object(schema.structure, value, strict)
    if kind == "array":
        return _array(schema, value, strict)
    if kind == "map":
        return _map(schema, value, strict)
    return SCALARS[kind](schema, value)


def _array(schema: Schema, value: Any, strict: bool) -> list[Any]:
    if type(value) is not list:
        raise MismatchError(json_type(value), schema.go_type)
    items = schema.items
    assert items is not None
    return [_value(items, each, strict) if each is not None else zero_of(items) for each in value]


def _map(schema: Schema, value: Any, strict: bool) -> dict[str, Any]:
    if type(value) is not dict:
        raise MismatchError(json_type(value), schema.go_type)
    items = schema.items
    assert items is not None
    return {key: _value(items, each, strict) if each is not None else zero_of(items) for key, each in value.items()}
