"""Responses in protobuf, for clients that accept nothing else; only built-in kinds have a protobuf form."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec

from wavetank.apiserver.codec.protobuf import PREFIX
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.schemas.schema import Schema, Structure

Document = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write_protobuf(document: Document) -> bytes:
    """Writes an object, a list, a Status or PartialObjectMetadata(List), which name their kinds."""
    structure = _structure_of(document["apiVersion"], document["kind"])
    return body_of(document["apiVersion"], document["kind"], structure, document)


def body_of(api_version: str, kind: str, structure: Structure, document: Document) -> bytes:
    """Returns a whole body: four magic bytes and an envelope that names the kind."""
    type_meta = _bytes(1, api_version.encode()) + _bytes(2, kind.encode())
    return PREFIX + _bytes(1, type_meta) + _bytes(2, message_of(structure, document))


def message_of(structure: Structure, document: Document) -> bytes:
    """Returns a message with the fields that a document has."""
    parts = []
    for number, target in structure.numbers.items():
        if isinstance(target, Structure):
            parts.append(_bytes(number, message_of(target, document)))
        elif document.get(target) is not None:
            parts.extend(_field(number, structure.fields[target], document[target]))
    return b"".join(parts)


@cache
def _structure_of(api_version: str, kind: str) -> Structure:
    table = KindTable.builtin()
    if kind == "Status":
        return _STATUS
    if kind.startswith("PartialObjectMetadata"):
        pod = table.named("v1", "Pod")
        assert pod is not None
        single = Structure(
            "PartialObjectMetadata", {"metadata": pod.schema.fields["metadata"]}, numbers={1: "metadata"}
        )
        return _list_of(single) if kind.endswith("List") else single
    for each in table:
        if each.api_version == api_version and kind == f"{each.kind}List":
            return _list_of(each.schema.structure)
    return next(structure for structure in _named(table, api_version, kind))


def _named(table: KindTable, api_version: str, kind: str) -> Iterator[Structure]:
    for each in table:
        candidates: list[Kind | Subresource] = [each, *each.subresources.values()]
        for candidate in candidates:
            if (candidate.api_version, candidate.kind) == (api_version, kind):
                yield candidate.schema.structure


def _list_of(items: Structure) -> Structure:
    fields = {"metadata": _object(_LIST_META), "items": Schema("array", items=_object(items))}
    return _numbered(f"{items.name}List", fields)


def _object(structure: Structure) -> Schema:
    return Schema("object", resolve=lambda: structure)


def _numbered(name: str, fields: dict[str, Schema]) -> Structure:
    """Returns a structure whose fields have the numbers 1, 2, ..."""
    return Structure(name, fields, numbers=dict(enumerate(fields, 1)))


_TEXT, _NUMBER = Schema("string"), Schema("integer")
_LIST_META = _numbered(
    "meta.v1.ListMeta",
    {"selfLink": _TEXT, "resourceVersion": _TEXT, "continue": _TEXT, "remainingItemCount": _NUMBER},
)
_CAUSE = _numbered("meta.v1.StatusCause", {"reason": _TEXT, "message": _TEXT, "field": _TEXT})
_CAUSES = Schema("array", items=_object(_CAUSE))
_DETAILS = _numbered(
    "meta.v1.StatusDetails",
    {"name": _TEXT, "group": _TEXT, "kind": _TEXT, "causes": _CAUSES, "retryAfterSeconds": _NUMBER, "uid": _TEXT},
)
_HEAD = {"metadata": _object(_LIST_META), "status": _TEXT, "message": _TEXT, "reason": _TEXT}
_STATUS = _numbered("meta.v1.Status", {**_HEAD, "details": _object(_DETAILS), "code": _NUMBER})


def _field(number: int, schema: Schema, value: Any) -> Iterator[bytes]:
    items = schema.items or _TEXT
    if schema.type == "map":
        for key, each in value.items():
            yield _bytes(number, _bytes(1, key.encode()) + b"".join(_field(2, items, each)))
    elif schema.type == "array":
        elements = b"".join(part for each in value for part in _field(1 if schema.wrapped else number, items, each))
        yield _bytes(number, elements) if schema.wrapped else elements
    else:
        yield _scalar(number, schema, value)


def _scalar(number: int, schema: Schema, value: Any) -> bytes:
    if schema.type == "object":
        return _bytes(number, message_of(schema.structure, value))
    if schema.type in ("integer", "boolean"):
        return _varint(number << 3) + _varint(int(value) % 2**64)
    if schema.type == "number":
        return _varint(number << 3 | 1) + struct.pack("<d", value)
    if schema.resolve is not None:
        return _bytes(number, _alternative(schema, value))
    return _bytes(number, _message(schema.type, value))


def _alternative(schema: Schema, value: Any) -> bytes:
    """Returns the message of a JSON schema or of what may stand in its place."""
    allows = schema.go_type.endswith("OrBool")
    if isinstance(value, dict):
        written = message_of(schema.structure, value)
        return b"\x08\x01" + _bytes(2, written) if allows else _bytes(1, written)
    if isinstance(value, bool):
        return b"\x08" + _varint(value)
    return b"".join(
        _bytes(2, message_of(schema.structure, each) if isinstance(each, dict) else str(each).encode())
        for each in value
    )


def _message(type_: str, value: Any) -> bytes:
    match type_:
        case "bytes":
            return base64.b64decode(value)
        case "quantity":
            return _bytes(1, str(value).encode())
        case "any":
            return _bytes(1, msgspec.json.encode(value))
        case "time" | "microtime":
            since = datetime.fromisoformat(value) - _EPOCH
            seconds, nanos = since.days * 86400 + since.seconds, since.microseconds * 1000
            return b"\x08" + _varint(seconds % 2**64) + b"\x10" + _varint(nanos)
        case "int-or-string":
            if isinstance(value, str):
                return b"\x08\x01" + _bytes(3, value.encode())
            return b"\x10" + _varint(value % 2**64)
    return str(value).encode()


def _bytes(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
