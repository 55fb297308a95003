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
    info = encode_text(1, document["info"]["title"]) + encode_text(2, document["info"]["version"])
    paths = b"".join(
        encode_field(2, encode_text(1, path) + encode_field(2, _item(each))) for path, each in document["paths"].items()
    )
    types = b"".join(encode_field(1, _named(name, each)) for name, each in document["definitions"].items())
    return encode_text(1, document["swagger"]) + encode_field(2, info) + encode_field(8, paths) + encode_field(9, types)


def _item(item: Json) -> bytes:
    operations = b"".join(
        encode_field(number, _operation(item[name])) for name, number in _METHODS.items() if name in item
    )
    return operations + b"".join(encode_field(9, _parameter(each)) for each in item.get("parameters", ()))


def _operation(operation: Json) -> bytes:
    made = b"".join(encode_text(1, tag) for tag in operation["tags"]) + encode_text(5, operation["operationId"])
    made += b"".join(encode_text(6, each) for each in operation.get("produces", ()))
    made += b"".join(encode_text(7, each) for each in operation.get("consumes", ()))
    made += b"".join(encode_field(8, _parameter(each)) for each in operation["parameters"])
    responses = b""
    for code, each in operation["responses"].items():
        schema = encode_field(2, encode_field(1, _schema(each["schema"]))) if "schema" in each else b""
        responses += encode_field(
            1, encode_text(1, code) + encode_field(2, encode_field(1, encode_text(1, each["description"]) + schema))
        )
    return made + encode_field(9, responses) + _extensions(13, operation)


def _parameter(parameter: Json) -> bytes:
    if parameter["in"] == "body":
        body = encode_text(2, "body") + encode_text(3, "body") + encode_flag(4, parameter["required"])
        return encode_field(1, encode_field(1, body + encode_field(5, _schema(parameter["schema"]))))
    common = (
        encode_flag(1, parameter.get("required", False))
        + encode_text(2, parameter["in"])
        + encode_text(4, parameter["name"])
    )
    is_path = parameter["in"] == "path"
    kind = encode_text(5 if is_path else 6, parameter["type"])
    return encode_field(1, encode_field(2, encode_field(4 if is_path else 3, common + kind)))


def _named(name: str, schema: Json) -> bytes:
    return encode_text(1, name) + encode_field(2, _schema(schema))


def _schema(schema: Json) -> bytes:
    return b"".join(_parts(schema)) + _extensions(31, schema)


def _parts(schema: Json) -> Iterator[bytes]:
    for name, number in _TEXTS.items():
        if schema.get(name):
            yield encode_text(number, schema[name])
    if "default" in schema:
        yield encode_field(5, encode_any(schema["default"]))
    for name, number in _COUNTS.items():
        if schema.get(name) is not None:
            yield encode_number(number, schema[name])
    yield from (encode_text(19, name) for name in schema.get("required", ()))
    yield from (encode_field(20, encode_any(each)) for each in schema.get("enum", ()))
    rest = schema.get("additionalProperties")
    if rest is not None:
        yield encode_field(
            21, encode_field(1, _schema(rest)) if isinstance(rest, dict) else encode_flag(2, rest, always=True)
        )
    if schema.get("type"):
        yield encode_field(22, encode_text(1, schema["type"]))
    if isinstance(schema.get("items"), dict):
        yield encode_field(23, encode_field(1, _schema(schema["items"])))
    if schema.get("properties"):
        yield encode_field(
            25, b"".join(encode_field(1, _named(name, each)) for name, each in schema["properties"].items())
        )


def _extensions(number: int, owner: Json) -> bytes:
    found = (name for name in owner if name.startswith("x-"))
    return b"".join(
        encode_field(number, encode_text(1, name) + encode_field(2, encode_any(owner[name]))) for name in found
    )


def encode_any(value: Any) -> bytes:
    """Writes a value as JSON, which is YAML too."""
    return encode_text(2, msgspec.json.encode(value).decode() + "\n")


def encode_text(number: int, text: str) -> bytes:
    """Writes a field with a text."""
    return encode_field(number, text.encode())


def encode_flag(number: int, value: bool, *, always: bool = False) -> bytes:
    """Writes a field that is true, or also false if `always`."""
    return _varint(number << 3) + _varint(int(value)) if value or always else b""


def encode_number(number: int, value: int) -> bytes:
    """Writes a field with a number that is not negative."""
    return _varint(number << 3) + _varint(value)


def encode_field(number: int, body: bytes) -> bytes:
    """Writes a field with a message or bytes."""
    return _varint(number << 3 | 2) + _varint(len(body)) + body


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
