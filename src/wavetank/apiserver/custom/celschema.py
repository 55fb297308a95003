"""What CEL rules see of values with a schema: their types and the values themselves."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from wavetank.apiserver.custom.schema.structural import Structural
from wavetank.cel.syntax import RESERVED_NAMES
from wavetank.cel.types import BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, Type, list_of, map_of
from wavetank.cel.values import EvaluationError, Struct, TypedList, read_duration, read_timestamp

_ESCAPES = {"__dot__": ".", "__dash__": "-", "__slash__": "/", "__underscores__": "__"}
# Words that fields may be called but names in expressions may not.
RESERVED = RESERVED_NAMES | {"true", "false", "null", "in"}
_FORMATS = {"byte": BYTES, "duration": DURATION, "date": TIMESTAMP, "date-time": TIMESTAMP}
_SCALARS = {"boolean": BOOL, "number": DOUBLE, "integer": INT}


def type_of_schema(schema: Structural | None, *, root: bool = False, name: str = "selfType") -> Type | None:
    """Returns the type of a schema's values; None where expressions cannot see them."""
    if schema is None:
        return None
    if schema.int_or_string:
        return DYN
    if schema.type == "array":
        item = type_of_schema(schema.items, root=bool(schema.items and schema.items.embedded), name=f"{name}.@idx")
        return list_of(item) if item is not None else None
    if schema.type == "object" or root:
        return _type_of_object(schema, root, name)
    if schema.type == "string":
        return _FORMATS.get(schema.raw.get("format", ""), STRING)
    return _SCALARS.get(schema.type)


def _type_of_object(schema: Structural, root: bool, name: str) -> Type | None:
    if schema.additional is not None and not root:
        value = type_of_schema(schema.additional, root=schema.additional.embedded, name=f"{name}.@elem")
        return map_of(STRING, value) if value is not None else None
    fields: dict[str, Type] = {}
    for key, each in schema.properties.items():
        found = type_of_schema(each, root=each.embedded, name=f"{name}.{key}")
        if found is not None and _can_be_named(key):
            fields[escape(key)] = found
    if root:
        metadata = Type(f"{name}.metadata", fields={"name": STRING, "generateName": STRING})
        fields |= {"kind": STRING, "apiVersion": STRING, "metadata": metadata}
    return Type(name, fields=fields)


def _can_be_named(name: str) -> bool:
    return name in RESERVED or escape(name).isidentifier()


def wrap(value: Any, schema: Structural | None, *, root: bool = False) -> Any:
    """Returns a JSON value as expressions see it; `root` says that it is a whole resource."""
    if schema is None or value is None:
        return value
    if isinstance(value, dict) and (schema.properties or not schema.is_map):
        return _wrap_object(value, schema, root or schema.embedded)
    if isinstance(value, dict):
        return {name: wrap(each, schema.additional) for name, each in value.items()}
    if isinstance(value, list):
        items = [wrap(each, schema.items) for each in value]
        return TypedList(items, schema.list_type, schema.list_map_keys) if schema.list_type in ("set", "map") else items
    if schema.type == "string" and isinstance(value, str):
        return _wrap_text(value, schema.raw.get("format", ""))
    return float(value) if schema.type == "number" and isinstance(value, int) else value


def _wrap_object(value: dict[str, Any], schema: Structural, root: bool) -> Struct:
    fields = {}
    for name, each in value.items():
        if each is None:
            continue  # for expressions a null is a missing field
        inner = schema.properties.get(name)
        if inner is not None:
            fields[escape(name)] = wrap(each, inner)
        elif root and name in ("apiVersion", "kind"):
            fields[name] = each
        elif root and name == "metadata" and isinstance(each, dict):
            fields[name] = {key: each[key] for key in ("name", "generateName") if key in each}
    return Struct(fields)


def escape(name: str) -> str:
    """Returns the name of a field as expressions write it."""
    if name in RESERVED:
        return f"__{name}__"
    for word, text in reversed(_ESCAPES.items()):
        name = name.replace(text, word)
    return name


def _wrap_text(text: str, form: str) -> Any:
    try:
        if form == "byte":
            return base64.b64decode(text, validate=True)
        if form == "duration":
            return read_duration(text)
        if form in ("date", "date-time"):
            return read_timestamp(text)
    except (EvaluationError, binascii.Error, ValueError):
        return text
    return text
