"""The document of version 2 in protobuf, which is how kubectl asks for it; the numbers are gnostic's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

Json = dict[str, Any]

_METHODS = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}
_TEXTS = {"$ref": 1, "format": 2, "title": 3, "description": 4, "pattern": 13}
_COUNTS = {"maxLength": 11, "minLength": 12, "maxItems": 14, "minItems": 15, "maxProperties": 17, "minProperties": 18}


def encode_document(document: Json) -> bytes:
    """Writes a document of version 2."""
    info = _text(1, document["info"]["title"]) + _text(2, document["info"]["version"])
    paths = b"".join(_field(2, _text(1, path) + _field(2, _item(each))) for path, each in document["paths"].items())
    types = b"".join(_field(1, _named(name, each)) for name, each in document["definitions"].items())
    return _text(1, document["swagger"]) + _field(2, info) + _field(8, paths) + _field(9, types)


def _item(item: Json) -> bytes:
    operations = b"".join(_field(number, _operation(item[name])) for name, number in _METHODS.items() if name in item)
    return operations + b"".join(_field(9, _parameter(each)) for each in item.get("parameters", ()))


def _operation(operation: Json) -> bytes:
    made = b"".join(_text(1, tag) for tag in operation["tags"]) + _text(5, operation["operationId"])
    made += b"".join(_text(6, each) for each in operation.get("produces", ()))
    made += b"".join(_text(7, each) for each in operation.get("consumes", ()))
    made += b"".join(_field(8, _parameter(each)) for each in operation["parameters"])
    responses = b""
    for code, each in operation["responses"].items():
        schema = _field(2, _field(1, _schema(each["schema"]))) if "schema" in each else b""
        responses += _field(1, _text(1, code) + _field(2, _field(1, _text(1, each["description"]) + schema)))
    return made + _field(9, responses) + _extensions(13, operation)


def _parameter(parameter: Json) -> bytes:
    if parameter["in"] == "body":
        body = _text(2, "body") + _text(3, "body") + _flag(4, parameter["required"])
        return _field(1, _field(1, body + _field(5, _schema(parameter["schema"]))))
    common = _flag(1, parameter.get("required", False)) + _text(2, parameter["in"]) + _text(4, parameter["name"])
    is_path = parameter["in"] == "path"
    kind = _text(5 if is_path else 6, parameter["type"])
    return _field(1, _field(2, _field(4 if is_path else 3, common + kind)))


def _named(name: str, schema: Json) -> bytes:
    return _text(1, name) + _field(2, _schema(schema))


def _schema(schema: Json) -> bytes:
    return b"".join(_parts(schema)) + _extensions(31, schema)


def _parts(schema: Json) -> Iterator[bytes]:
    for name, number in _TEXTS.items():
        if schema.get(name):
            yield _text(number, schema[name])
    if "default" in schema:
        yield _field(5, _any(schema["default"]))
    for name, number in _COUNTS.items():
        if schema.get(name) is not None:
            yield _number(number, schema[name])
    yield from (_text(19, name) for name in schema.get("required", ()))
    yield from (_field(20, _any(each)) for each in schema.get("enum", ()))
    rest = schema.get("additionalProperties")
    if rest is not None:
        yield _field(21, _field(1, _schema(rest)) if isinstance(rest, dict) else _flag(2, rest, always=True))
    if schema.get("type"):
        yield _field(22, _text(1, schema["type"]))
    if isinstance(schema.get("items"), dict):
        yield _field(23, _field(1, _schema(schema["items"])))
    if schema.get("properties"):
        yield _field(25, b"".join(_field(1, _named(name, each)) for name, each in schema["properties"].items()))


def _extensions(number: int, owner: Json) -> bytes:
    found = (name for name in owner if name.startswith("x-"))
    return b"".join(_field(number, _text(1, name) + _field(2, _any(owner[name]))) for name in found)


def _any(value: Any) -> bytes:
    return _text(2, msgspec.json.encode(value).decode() + "\n")


def _text(number: int, text: str) -> bytes:
    return _field(number, text.encode())


def _flag(number: int, value: bool, *, always: bool = False) -> bytes:
    return _varint(number << 3) + _varint(int(value)) if value or always else b""


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _field(number: int, body: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(body)) + body


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
