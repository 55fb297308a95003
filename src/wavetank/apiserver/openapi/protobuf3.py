"""Documents of version 3 in protobuf; the numbers are gnostic's."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wavetank.apiserver.openapi.protobuf import encode_any, encode_field, encode_flag, encode_number, encode_text

Json = dict[str, Any]
# By message, the number and the type of each field: a text, a count … or another message. "*X" is a list of X, "%X" a
# map, whose entries have a name and a value.
_MESSAGES: Mapping[str, Mapping[str, tuple[int, str]]] = {
    "Document": {
        "openapi": (1, "text"),
        "info": (2, "Info"),
        "paths": (4, "%PathItem"),
        "components": (5, "Components"),
    },
    "Info": {"title": (1, "text"), "version": (6, "text")},
    "Components": {"schemas": (1, "%SchemaOrReference"), "securitySchemes": (7, "%SecuritySchemeOrReference")},
    "SecurityScheme": {"type": (1, "text"), "description": (2, "text"), "name": (3, "text"), "in": (4, "text")},
    "PathItem": {
        **{name: (number, "Operation") for name, number in (("get", 4), ("put", 5), ("post", 6), ("delete", 7))},
        "patch": (10, "Operation"),
        "parameters": (13, "*ParameterOrReference"),
        "x-": (14, "extension"),
    },
    "Operation": {
        "tags": (1, "*text"),
        "description": (3, "text"),
        "operationId": (5, "text"),
        "parameters": (6, "*ParameterOrReference"),
        "requestBody": (7, "RequestBodyOrReference"),
        "responses": (8, "Responses"),
        "x-": (13, "extension"),
    },
    "Parameter": {
        "name": (1, "text"),
        "in": (2, "text"),
        "description": (3, "text"),
        "required": (4, "flag"),
        "schema": (10, "SchemaOrReference"),
    },
    "RequestBody": {"content": (2, "%MediaType"), "required": (3, "flag")},
    "Response": {"description": (1, "text"), "content": (3, "%MediaType")},
    "MediaType": {"schema": (1, "SchemaOrReference")},
    "Schema": {
        "nullable": (1, "flag"),
        "title": (9, "text"),
        "multipleOf": (10, "double"),
        "maximum": (11, "double"),
        "exclusiveMaximum": (12, "flag"),
        "minimum": (13, "double"),
        "exclusiveMinimum": (14, "flag"),
        "maxLength": (15, "count"),
        "minLength": (16, "count"),
        "pattern": (17, "text"),
        "maxItems": (18, "count"),
        "minItems": (19, "count"),
        "uniqueItems": (20, "flag"),
        "maxProperties": (21, "count"),
        "minProperties": (22, "count"),
        "required": (23, "*text"),
        "enum": (24, "*any"),
        "type": (25, "text"),
        "allOf": (26, "*SchemaOrReference"),
        "oneOf": (27, "*SchemaOrReference"),
        "anyOf": (28, "*SchemaOrReference"),
        "not": (29, "Schema"),
        "items": (30, "Items"),
        "properties": (31, "%SchemaOrReference"),
        "additionalProperties": (32, "AdditionalProperties"),
        "default": (33, "Default"),
        "description": (34, "text"),
        "format": (35, "text"),
        "x-": (36, "extension"),
    },
}


def encode_document_3(document: Json) -> bytes:
    """Writes a document of version 3."""
    return _message("Document", document)


def _message(kind: str, value: Any) -> bytes:
    return b"".join(_fields(_MESSAGES[kind], value))


def _fields(fields: Mapping[str, tuple[int, str]], value: Json) -> Iterator[bytes]:
    for name, (number, kind) in fields.items():
        if kind == "extension":
            for key in (key for key in value if key.startswith(name)):
                yield encode_field(number, encode_text(1, key) + encode_field(2, encode_any(value[key])))
        elif name in value:
            yield from _field(number, kind, value[name])


def _field(number: int, kind: str, value: Any) -> Iterator[bytes]:
    if kind.startswith("*"):
        for each in value:
            yield from _field(number, kind[1:], each)
    elif kind.startswith("%"):
        yield encode_field(number, b"".join(_named(1, kind[1:], *entry) for entry in value.items()))
    else:
        yield _SCALARS[kind](number, value) if kind in _SCALARS else encode_field(number, _body(kind, value))


def _named(number: int, kind: str, name: str, value: Any) -> bytes:
    return encode_field(number, encode_text(1, name) + encode_field(2, _body(kind, value)))


def _body(kind: str, value: Any) -> bytes:
    if kind in _SPECIAL:
        return _SPECIAL[kind](value)
    if kind.endswith("OrReference"):
        if "$ref" in value:
            return encode_field(2, encode_text(1, value["$ref"]))
        return encode_field(1, _message(kind.removesuffix("OrReference"), value))
    return _message(kind, value)


def _responses(value: Json) -> bytes:
    return b"".join(_named(2, "ResponseOrReference", *entry) for entry in value.items())


def _items(value: Json) -> bytes:
    return encode_field(1, _body("SchemaOrReference", value))


def _additional(value: Any) -> bytes:
    if isinstance(value, bool):
        return encode_flag(2, value, always=True)
    return encode_field(1, _body("SchemaOrReference", value))


def _default(value: Any) -> bytes:
    """Writes a default; gnostic's message has no place for one that is an object or a list."""
    if isinstance(value, bool):
        return encode_flag(2, value, always=True)
    if isinstance(value, int | float):
        return _double(1, value)
    return encode_text(3, value) if isinstance(value, str) else b""


def _double(number: int, value: float) -> bytes:
    return bytes([number << 3 | 1]) + struct.pack("<d", value)


_SPECIAL: Mapping[str, Callable[[Any], bytes]] = {
    "Responses": _responses,
    "Items": _items,
    "AdditionalProperties": _additional,
    "Default": _default,
}
_SCALARS: Mapping[str, Callable[[int, Any], bytes]] = {
    "text": encode_text,
    "flag": encode_flag,
    "count": encode_number,
    "double": _double,
    "any": lambda number, value: encode_field(number, encode_any(value)),
}
