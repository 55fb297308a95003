"""How many bytes the real server's protobuf messages have.

Go writes every field that is not a pointer, a list or a map, even if it is empty. Messages to clients need not
(`protobufencoding`), but what is stored is limited by this size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.apiserver.codec.protobufencoding import CONTENTS, Document, varint
from wavetank.apiserver.schemas.schema import Schema, Structure

Size = Callable[[Any], int]  # of a document or a value

_NO_POINTER = "creationTimestamp"  # its schema says that it is one, since documents leave it out
_compiled: dict[int, tuple[Structure, Size]] = {}  # by the identity of the structure, which is kept


def size_of(structure: Structure) -> Size:
    """Returns the function from a document to the size of its message in bytes."""
    found = _compiled.get(id(structure))
    if found is None:
        found = _compiled[id(structure)] = (structure, _message_size(structure))
    return found[1]


def field_size(number: int, length: int) -> int:
    """Returns the size of a field whose content, of `length` bytes, is bytes, a text or a message."""
    return _tag_size(number) + _varint_size(length) + length


def _tag_size(number: int) -> int:
    return _varint_size(number << 3)


def _varint_size(value: int) -> int:
    return 1 if 0 <= value < 0x80 else len(varint(value))


def _message_size(structure: Structure) -> Size:
    sizes: dict[str, Size] = {}  # of fields that are set, beyond what they have if they are not
    embedded: list[Size] = []
    unset = 0

    def compile_fields() -> None:  # not before the first document: types may contain themselves
        nonlocal unset
        for number, target in structure.numbers.items():
            if isinstance(target, Structure):
                embedded.append(_delimited(number, size_of(target)))
                continue
            schema = structure.fields[target]
            smallest = 0 if schema.pointer and target != _NO_POINTER else _unset_size(number, schema)
            sizes[target] = _beyond(smallest, _field_size(number, schema))
            unset += smallest

    def size(document: Document) -> int:
        if not sizes and not embedded:
            compile_fields()
        own = sum([sizes[name](value) for name, value in document.items() if value is not None and name in sizes])
        return unset + own + sum([each(document) for each in embedded])

    return size


def _beyond(smallest: int, size: Size) -> Size:
    return (lambda value: size(value) - smallest) if smallest else size


def _unset_size(number: int, schema: Schema) -> int:
    """Returns the size of a field that is no pointer and not set."""
    if schema.type in ("array", "map", "bytes"):
        return 0
    if schema.type in _FIXED:
        return _tag_size(number) + _FIXED[schema.type]
    length = size_of(schema.structure)({}) if schema.type == "object" else _UNSET.get(schema.type, 0)
    return field_size(number, length)


def _field_size(number: int, schema: Schema) -> Size:
    if schema.type == "map":
        return _map_size(number, _items(schema))
    if schema.type == "array":
        element = _field_size(1 if schema.wrapped else number, _items(schema))

        def size(value: list[Any]) -> int:
            return sum([element(each) for each in value])

        return _delimited(number, size) if schema.wrapped else size
    return _value_size(number, schema)


def _items(schema: Schema) -> Schema:
    return schema.items or Schema("string")


def _map_size(number: int, items: Schema) -> Size:
    key, value = _delimited(1, _text_size), _field_size(2, items)
    return lambda entries: sum([field_size(number, key(name) + value(each)) for name, each in entries.items()])


def _value_size(number: int, schema: Schema) -> Size:
    if schema.type == "object":
        return _delimited(number, size_of(schema.structure))
    if schema.resolve is not None:
        return _delimited(number, _alternative_size(schema))
    tag = _tag_size(number)
    if schema.type == "integer":
        return lambda value: tag + _varint_size(value)
    if schema.type in _FIXED:
        return lambda value: tag + _FIXED[schema.type]
    return _delimited(number, _content_size(schema.type))


def _content_size(type_: str) -> Size:
    if type_ == "int-or-string":
        return _int_or_string_size
    content = CONTENTS.get(type_)
    return (lambda value: len(content(value))) if content is not None else _text_size


def _delimited(number: int, content: Size) -> Size:
    return lambda value: field_size(number, content(value))


def _text_size(value: str) -> int:
    return len(value) if value.isascii() else len(value.encode())


def _int_or_string_size(value: int | str) -> int:
    """Returns the size of a type, a number and a text: all three are written."""
    return 6 + len(value.encode()) if isinstance(value, str) else 5 + _varint_size(value)


def _alternative_size(schema: Schema) -> Size:
    """Returns the size of a JSON schema, or of what may stand in its place: a list of them, of words, a boolean."""
    allows = 2 if schema.go_type.endswith("OrBool") else 0

    def size(value: Any) -> int:
        message = size_of(schema.structure)
        if isinstance(value, dict):
            return allows + field_size(1, message(value))
        if isinstance(value, bool):
            return allows
        return sum(field_size(2, message(each) if isinstance(each, dict) else _text_size(each)) for each in value)

    return size


_FIXED = {"integer": 1, "boolean": 1, "number": 8}  # bytes of a zero, after its tag
_UNSET = {"quantity": 3, "duration": 2, "int-or-string": 6}  # lengths: "0", 0, and 0 with no text
