"""A small protobuf encoder, the opposite of the decoder under test: it writes what Kubernetes' Go types would write."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from wavetank.apiserver.kinds import Schema, Structure


def body_of(api_version: str, kind: str, schema: Schema, document: dict[str, Any]) -> bytes:
    """Returns a whole request body: four magic bytes and an envelope that names the kind."""
    type_meta = _bytes(1, api_version.encode()) + _bytes(2, kind.encode())
    return b"k8s\x00" + _bytes(1, type_meta) + _bytes(2, message_of(schema.structure, document))


def message_of(structure: Structure, document: dict[str, Any]) -> bytes:
    """Returns a message with the fields that a document has."""
    parts = []
    for number, target in structure.numbers.items():
        if isinstance(target, Structure):
            parts.append(_bytes(number, message_of(target, document)))
        elif document.get(target) is not None:
            parts.extend(_field(number, structure.fields[target], document[target]))
    return b"".join(parts)


def _field(number: int, schema: Schema, value: Any) -> Iterator[bytes]:
    if schema.type == "map":
        for key, each in value.items():
            yield _bytes(number, _bytes(1, key.encode()) + b"".join(_field(2, schema.items, each)))
    elif schema.type == "array":
        elements = [part for each in value for part in _field(1 if schema.wrapped else number, schema.items, each)]
        yield _bytes(number, b"".join(elements)) if schema.wrapped else b"".join(elements)
    else:
        yield _scalar(number, schema, value)


def _scalar(number: int, schema: Schema, value: Any) -> bytes:
    if schema.type == "object":
        return _bytes(number, message_of(schema.structure, value))
    if schema.type in ("integer", "boolean"):
        return _varint(number << 3) + _varint(int(value) % 2**64)
    return _bytes(number, _message(schema.type, value))


def _message(type_: str, value: Any) -> bytes:
    if type_ == "bytes":
        return base64.b64decode(value)
    if type_ == "quantity":
        return _bytes(1, value.encode())
    if type_ == "any":
        return _bytes(1, json.dumps(value).encode())
    if type_ in ("time", "microtime"):
        moment = datetime.fromisoformat(value)
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
        nanos = since.microseconds * 1000
        return b"\x08" + _varint((since.days * 86400 + since.seconds) % 2**64) + b"\x10" + _varint(nanos)
    if type_ == "int-or-string":
        return b"\x08\x01" + _bytes(3, value.encode()) if isinstance(value, str) else b"\x10" + _varint(value % 2**64)
    return str(value).encode()


def _bytes(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
