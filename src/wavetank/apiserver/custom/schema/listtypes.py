"""Checks that lists that are sets or maps have no duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wavetank.apiserver.custom.schema.gotext import shown
from wavetank.apiserver.custom.schema.structural import Document, Structural
from wavetank.apiserver.fielderrors import FieldError, duplicate, invalid
from wavetank.cluster.sortedjson import encode_sorted

_NOT_STATED = object()


def check_lists(value: Any, schema: Structural | None, path: str = "") -> Iterator[FieldError]:
    """Checks all lists of a document."""
    if schema is None:
        return
    if isinstance(value, dict):
        for name, each in value.items():
            if schema.additional is not None:
                yield from check_lists(each, schema.additional, f"{path}[{name}]")
            elif name in schema.properties:
                yield from check_lists(each, schema.properties[name], f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        yield from _check_items(value, schema, path)
        for i, each in enumerate(value):
            yield from check_lists(each, schema.items, f"{path}[{i}]")


def _check_items(items: list[Any], schema: Structural, path: str) -> Iterator[FieldError]:
    if schema.list_type == "set":
        for i in _repeated(items):
            yield duplicate(f"{path}[{i}]", shown(items[i]))
    elif schema.list_type == "map":
        yield from _check_keys(items, schema.list_map_keys, path)


def _check_keys(items: list[Any], names: tuple[str, ...], path: str) -> Iterator[FieldError]:
    for i, item in enumerate(items):
        if item is not None and not isinstance(item, dict):
            yield invalid(f"{path}[{i}]", shown(item), "must be an object for an array of list-type map")
            return
    keys = [{name: item[name] for name in names if name in item} for item in (each or {} for each in items)]
    for i in _repeated(keys, by=_single if len(names) == 1 else None):
        yield duplicate(f"{path}[{i}]", shown(keys[i]))


def _single(key: Document) -> Any:
    return next(iter(key.values()), _NOT_STATED)


def _repeated(items: list[Any], by: Callable[[Any], Any] | None = None) -> list[int]:
    """Returns the index of each duplicate item, once."""
    seen: dict[Any, int] = {}
    found = []
    for i, item in enumerate(items):
        key = _identity(by(item) if by is not None else item)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:
            found.append(i)
    return found


def _identity(item: Any) -> Any:
    if isinstance(item, (dict, list)):
        return encode_sorted(item)
    return type(item), item
