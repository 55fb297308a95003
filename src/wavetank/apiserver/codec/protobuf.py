"""Protobuf bodies: the wire format, read by the numbers that the kinds' schemas have."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any

from wavetank.apiserver.codec.jsontext import parse_json_lenient
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.codec.times import duration_of, time_of
from wavetank.apiserver.schemas.schema import Schema, Structure
from wavetank.cluster.yamldepth import is_too_deep

PREFIX = b"k8s\x00"
_END = "unexpected EOF"
Wire = int | bytes


def unwrap(body: bytes) -> tuple[str, str, bytes]:
    """Returns the apiVersion, the kind and the message of a body, which begins with Kubernetes' own four bytes."""
    if not body.startswith(PREFIX):
        if not body:
            raise UnreadableError("empty data")
        raise UnreadableError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    type_meta, message = b"", b""
    for number, value in _fields(body[len(PREFIX) :]):
        if number == 1:
            type_meta = _bytes(value)
        elif number == 2:
            message = _bytes(value)
    names = {number: _text(value) for number, value in _fields(type_meta)}
    return names.get(1, ""), names.get(2, ""), message


def parse_message(schema: Schema, message: bytes) -> dict[str, Any]:
    """Returns the document that a message stands for, zeros included; unknown numbers are ignored."""
    try:
        document = _document(schema, message)
    except RecursionError:
        raise UnreadableError("exceeded max depth") from None
    if is_too_deep(document):
        raise UnreadableError("exceeded max depth")
    return document


def _document(schema: Schema, message: bytes) -> dict[str, Any]:
    document: dict[str, Any] = {}
    _read_into(document, schema.structure, message)
    return document


def _read_into(document: dict[str, Any], structure: Structure, message: bytes) -> None:
    numbers, fields = structure.numbers, structure.fields
    for number, value in _fields(message):
        target = numbers.get(number)
        if isinstance(target, Structure):
            _read_into(document, target, _bytes(value))
        elif target is not None:
            _read_field(document, target, fields[target], value)


def _read_field(document: dict[str, Any], name: str, schema: Schema, value: Wire) -> None:
    if schema.type == "map":
        document.setdefault(name, {}).update([_entry(schema, _bytes(value))])
    elif schema.type == "array" and not schema.wrapped:
        document.setdefault(name, []).extend(_elements(schema, value))
    else:
        document[name] = _value(schema, value)


def _entry(schema: Schema, message: bytes) -> tuple[str, Any]:
    """Reads an entry of a map: its key is field 1, its value field 2."""
    assert schema.items is not None
    parts = dict(_fields(message))
    return _text(parts.get(1, b"")), _value(schema.items, parts[2]) if 2 in parts else None


def _elements(schema: Schema, value: Wire) -> Iterator[Any]:
    items = schema.items
    assert items is not None
    if items.type in ("integer", "boolean") and isinstance(value, bytes):  # packed
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            yield _value(items, number)
    else:
        yield _value(items, value)


def _value(schema: Schema, value: Wire) -> Any:
    if schema.type == "object":
        return _document(schema, _bytes(value))
    if schema.type == "array":
        return [each for number, part in _fields(_bytes(value)) if number == 1 for each in _elements(schema, part)]
    if schema.resolve is not None:
        return _alternative(schema, _bytes(value))
    return _SCALARS[schema.type](value)


def _alternative(schema: Schema, message: bytes) -> Any:
    """Reads a JSON schema or what may stand in its place: a list of schemas, a list of words, a boolean."""
    parts = list(_fields(message))
    first, second = ([part for number, part in parts if number == wanted] for wanted in (1, 2))
    if schema.go_type.endswith("OrBool"):
        return _document(schema, _bytes(second[0])) if second else bool(first and _integer(first[0]))
    if first:
        return _document(schema, _bytes(first[0]))
    words = schema.go_type.endswith("OrStringArray")
    return [_text(part) if words else _document(schema, _bytes(part)) for part in second]


def _integer(value: Wire) -> int:
    if isinstance(value, bytes):
        raise UnreadableError("proto: wrong wireType = 2 for field")
    return value - 2**64 if value >= 2**63 else value


def _number(value: Wire) -> float:
    import struct

    double: float = struct.unpack("<d", _bytes(value))[0]
    return double


def _any(value: Wire) -> Any:
    """Reads raw JSON in field 1."""
    raw = _bytes(dict(_fields(_bytes(value))).get(1, b""))
    return parse_json_lenient(raw) if raw else None


def _time(micro: bool) -> Callable[[Wire], str | None]:
    def read(value: Wire) -> str | None:
        parts = dict(_fields(_bytes(value)))
        if not parts:
            return None
        return time_of(_integer(parts.get(1, 0)), _integer(parts.get(2, 0)) if micro else 0, micro)

    return read


def _int_or_string(value: Wire) -> int | str:
    parts = dict(_fields(_bytes(value)))
    return _text(parts.get(3, b"")) if parts.get(1) else _integer(parts.get(2, 0))


_SCALARS: dict[str, Callable[[Wire], Any]] = {
    "string": lambda value: _text(value),
    "boolean": lambda value: bool(_integer(value)),
    "integer": _integer,
    "number": _number,
    "bytes": lambda value: base64.b64encode(_bytes(value)).decode(),
    "quantity": lambda value: _text(dict(_fields(_bytes(value))).get(1, b"")) or "0",
    "duration": lambda value: duration_of(_integer(dict(_fields(_bytes(value))).get(1, 0))),
    "time": _time(micro=False),
    "microtime": _time(micro=True),
    "int-or-string": _int_or_string,
    "any": _any,
}


def _fields(message: bytes) -> Iterator[tuple[int, Wire]]:
    """Yields (number, value): an integer for varints, bytes for all else."""
    at, end = 0, len(message)
    while at < end:
        tag = message[at]
        at += 1
        if tag >= 0x80:
            tag, at = _varint(message, at - 1)
        wire = tag & 7
        if wire == 0:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if wire == 2 and at < end and message[at] < 0x80:  # by far the most: a short text or message
            length = message[at]
            at += 1
        else:
            length, at = _length(message, at, wire)
        if at + length > end:
            raise UnreadableError(_END)
        yield tag >> 3, message[at : at + length]
        at += length


def _length(message: bytes, at: int, wire: int) -> tuple[int, int]:
    if wire == 2:
        return _varint(message, at)
    if wire in (1, 5):
        return (8 if wire == 1 else 4), at
    raise UnreadableError(f"proto: illegal wireType {wire}")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
        if shift >= 64:
            raise UnreadableError("proto: integer overflow")
    raise UnreadableError(_END)


def _bytes(value: Wire) -> bytes:
    if isinstance(value, bytes):
        return value
    raise UnreadableError("proto: wrong wireType = 0 for field")


def _text(value: Wire) -> str:
    return _bytes(value).decode("utf-8", "replace")
