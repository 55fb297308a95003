"""Protobuf messages of documents: the wire format, written by the numbers that the kinds' schemas have.

Each type is compiled once into a function, since a server writes the same few types over and over.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from wavetank.apiserver.codec.times import nanoseconds_of
from wavetank.apiserver.schemas.schema import Schema, Structure
from wavetank.textcache import LONGEST

Document = dict[str, Any]
Encode = Callable[[Any], bytes]  # of a document or a value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_REMEMBERED = 128  # values of a field: most objects share a few
_VARINT, _FIXED64, _BYTES = 0, 1, 2  # types on the wire

_compiled: dict[int, tuple[Structure, Encode]] = {}  # by the identity of the structure, which is kept


def varint(value: int) -> bytes:
    """Returns an integer as protobuf writes it; negative ones as 64 bits."""
    return _SMALL[value] if 0 <= value < len(_SMALL) else _large(value % 2**64)


def field(number: int, content: bytes) -> bytes:
    """Returns a field whose content is bytes, a text or a message."""
    return varint(number << 3 | _BYTES) + varint(len(content)) + content


def encoder_of(structure: Structure) -> Encode:
    """Returns the function from a document to its message, without the numbers that the schema does not have."""
    found = _compiled.get(id(structure))
    if found is None:
        found = _compiled[id(structure)] = (structure, _message_encoder(structure))
    return found[1]


def _large(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


_SMALL = [_large(value) for value in range(1 << 14)]


def _message_encoder(structure: Structure) -> Encode:
    writers: dict[str, Encode] = {}
    embedded: list[Encode] = []  # types of Go whose fields documents show as the outer one's

    def compile_fields() -> None:  # not before the first document: types may contain themselves
        for number, target in structure.numbers.items():
            if isinstance(target, Structure):
                embedded.append(_delimited(number, encoder_of(target)))
            else:
                writers[target] = _field_encoder(number, structure.fields[target])

    def encode(document: Document) -> bytes:
        if not writers and not embedded:
            compile_fields()
        parts = [writers[name](value) for name, value in document.items() if value is not None and name in writers]
        parts.extend([each(document) for each in embedded])
        return b"".join(parts)

    return encode


def _field_encoder(number: int, schema: Schema) -> Encode:
    if schema.type == "map":
        return _map_encoder(number, _items(schema))
    if schema.type == "array":
        element = _field_encoder(1 if schema.wrapped else number, _items(schema))

        def encode(value: list[Any]) -> bytes:
            return b"".join([element(each) for each in value])

        return _delimited(number, encode) if schema.wrapped else encode
    return _value_encoder(number, schema)


def _items(schema: Schema) -> Schema:
    return schema.items or Schema("string")


def _map_encoder(number: int, items: Schema) -> Encode:
    key, value = _delimited(1, str.encode), _field_encoder(2, items)

    def encode(entries: Document) -> bytes:
        return b"".join([field(number, key(name) + value(entries[name])) for name in sorted(entries)])

    return encode


def _value_encoder(number: int, schema: Schema) -> Encode:
    if schema.type == "object":
        return _delimited(number, encoder_of(schema.structure))
    if schema.resolve is not None:
        return _delimited(number, _alternative_encoder(schema))
    tag = varint(number << 3 | _VARINT)
    if schema.type == "integer":
        return lambda value: tag + varint(value)
    if schema.type == "boolean":
        return {True: tag + b"\1", False: tag + b"\0"}.__getitem__
    if schema.type == "number":
        tag = varint(number << 3 | _FIXED64)
        return lambda value: tag + struct.pack("<d", value)
    encode = _delimited(number, CONTENTS.get(schema.type, str.encode))
    return encode if schema.type in ("any", "bytes") else _Remembered(encode).__getitem__


class _Remembered(dict[Any, bytes]):
    """Fields by their values, but no long ones."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    def __missing__(self, value: Any) -> bytes:
        found = self._encode(value)
        if len(found) <= LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[value] = found
        return found


def _delimited(number: int, content_of: Encode) -> Encode:
    """Returns the function that writes what `content_of` returns as a field of bytes."""
    tag = varint(number << 3 | _BYTES)
    small, many = _SMALL, len(_SMALL)

    def encode(value: Any) -> bytes:
        content = content_of(value)
        length = len(content)
        return tag + (small[length] if length < many else _large(length)) + content

    return encode


def _alternative_encoder(schema: Schema) -> Encode:
    """Returns the function for a JSON schema or what may stand in its place: a list of them, of words, a boolean."""
    allows = schema.go_type.endswith("OrBool")

    def encode(value: Any) -> bytes:
        message = encoder_of(schema.structure)
        if isinstance(value, dict):
            return b"\x08\x01" + field(2, message(value)) if allows else field(1, message(value))
        if isinstance(value, bool):
            return b"\x08" + varint(value)
        return b"".join(field(2, message(each) if isinstance(each, dict) else each.encode()) for each in value)

    return encode


def _time(value: str) -> bytes:
    since = datetime.fromisoformat(value) - _EPOCH
    return b"\x08" + varint(since.days * 86400 + since.seconds) + b"\x10" + varint(since.microseconds * 1000)


def _int_or_string(value: int | str) -> bytes:
    return b"\x08\x01" + field(3, value.encode()) if isinstance(value, str) else b"\x10" + varint(value)


# What a field of each type contains, if it is neither a number nor a text nor an object.
CONTENTS: dict[str, Encode] = {
    "bytes": base64.b64decode,
    "quantity": lambda value: field(1, str(value).encode()),
    "duration": lambda value: b"\x08" + varint(nanoseconds_of(value)),
    "any": lambda value: field(1, msgspec.json.encode(value)),
    "time": _time,
    "microtime": _time,
    "int-or-string": _int_or_string,
}
