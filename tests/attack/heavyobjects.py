"""Objects that are as large as a request may be: any list or map of any kind, filled with as many items as fit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from tests.apiserver.documents import DOCUMENTS
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.schemas.schema import Schema

Document = dict[str, Any]
Path = tuple[str | int, ...]

_DEEPEST = 3  # levels of fields that the documents do not have
_PLAIN: dict[str, Any] = {
    "integer": 1,
    "number": 1,
    "boolean": True,
    "quantity": "1",
    "duration": "1s",
    "int-or-string": 1,
    "time": "2024-01-01T00:00:00Z",
    "microtime": "2024-01-01T00:00:00.000000Z",
    "bytes": "YQ==",
}


@dataclass(frozen=True)
class Place:
    """A list or map in a document: the document, the path, its type, and the items that the document has there."""

    kind: Kind
    document: Document
    path: Path
    schema: Schema

    @property
    def name(self) -> str:
        """Returns what reports call it: "Pod spec.containers.0.env"."""
        return f"{self.kind.kind} {'.'.join(map(str, self.path))}"

    def filled(self, size: int, alike: bool) -> Document:
        """Returns the document with so many bytes of items, alike or each with another name."""
        document = deepcopy(self.document)
        parent: Any = document
        for key, following in zip(self.path, (*self.path[1:], ""), strict=True):
            if following == "":
                parent[key] = self._items(parent, key, size, alike)
            elif isinstance(parent, dict):
                parent = parent.setdefault(str(key), {})
            else:
                parent = parent[key]
        return document

    def _items(self, parent: Any, key: str | int, size: int, alike: bool) -> Any:
        known = parent.get(key) if isinstance(parent, dict) else parent[key]
        assert self.schema.items is not None
        if self.schema.type == "map":
            value = next(iter(known.values())) if known else made(self.schema.items)
            word = next(iter(known)) if known else "a"
            number = size // (len(json.dumps({word: value})) + 6)
            return {f"{word}{i}": value for i in range(number)}
        item = known[-1] if known else made(self.schema.items)
        number = size // (len(json.dumps(item)) + (1 if alike else 7))
        return [item if alike else varied(self.schema, item, i) for i in range(number)]


@cache
def places() -> list[Place]:
    """Returns all lists and maps of all kinds that there are documents of."""
    table, found = KindTable.builtin(), []
    for document in DOCUMENTS:
        kind = table.named(document["apiVersion"], document["kind"])
        if kind is not None and "create" in kind.verbs:
            found += [Place(kind, document, path, schema) for path, schema in _walk(kind.schema, document, (), 0)]
    return found


def _walk(schema: Schema, value: Any, path: Path, missing: int) -> Iterator[tuple[Path, Schema]]:
    if schema.type in ("array", "map"):
        yield path, schema
        if schema.items is not None and schema.type == "array" and value:
            yield from _walk(schema.items, value[-1], (*path, len(value) - 1), missing)
        return
    for name, field in schema.fields.items():
        if name in ("managedFields", "status"):
            continue
        if isinstance(value, dict) and name in value:
            yield from _walk(field, value[name], (*path, name), missing)
        elif missing < _DEEPEST:
            yield from _walk(field, None, (*path, name), missing + 1)


def made(schema: Schema, depth: int = 0) -> Any:
    """Returns a value of a type, with as little in it as it needs."""
    if schema.type == "string":
        return schema.enum[0] if schema.enum else "a"
    if schema.type in _PLAIN:
        return _PLAIN[schema.type]
    if schema.type == "array":
        return [made(schema.items, depth + 1)] if schema.items is not None and depth < _DEEPEST else []
    if schema.type != "object":
        return {}
    wanted = schema.required or {name for name in ("name", "key") if name in schema.fields}
    return {name: made(schema.fields[name], depth + 1) for name in sorted(wanted) if name in schema.fields}


def varied(schema: Schema, item: Any, i: int) -> Any:
    """Returns an item of a list with another name, or other keys if the list has some."""
    if isinstance(item, str):
        return f"{item}{i}"
    if not isinstance(item, dict):
        return item
    keys = schema.list_map_keys or ((schema.merge_key,) if schema.merge_key else ())
    named = [key for key in (*keys, "name", "key") if key in item][:1] or list(item)[:1]
    return {**item, **{key: _other(item[key], i) for key in named}}


def _other(value: Any, i: int) -> Any:
    if isinstance(value, str):
        return f"{value}{i}"
    return (value + i) % 65535 + 1 if type(value) is int else value


def heavy_object(random: Random, size: int) -> tuple[Place, Document]:
    """Returns a random place, and its document with so many bytes there."""
    place = random.choice(places())
    return place, place.filled(size, alike=random.random() < 0.3)
