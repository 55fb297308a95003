"""Values without some of their fields."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.structured import elements
from wavetank.apiserver.structured.fieldsets import EMPTY, FieldSet, children, is_member, node
from wavetank.apiserver.structured.types import ListType, MapType, MergeType


def remove(kind: MergeType, value: Any, fields: FieldSet) -> Any:
    """Returns a value without some fields; a list or map of which nothing stays is null."""
    form = kind.form(value)
    if form == "map" and kind.map is not None:
        if not isinstance(value, dict) or kind.map.atomic:
            return None
        return _fields(kind.map, value, fields) or None
    if form == "list" and kind.list is not None:
        if not isinstance(value, list) or kind.list.atomic:
            return None
        return _items(kind.list, value, fields) or None
    return value


def _fields(kind: MapType, value: dict[str, Any], fields: FieldSet) -> dict[str, Any]:
    kept = {}
    for name, each in value.items():
        below = fields.get(elements.field(name))
        if below is None:
            kept[name] = each
        elif not is_member(below):
            kept[name] = remove(kind.at(name), each, below)
    return kept


def _items(kind: ListType, value: list[Any], fields: FieldSet) -> list[Any]:
    kept = []
    for each in value:
        below = fields.get(kind.element(each))
        if below is None:
            kept.append(each)
        elif not is_member(below):
            kept.append(remove(kind.items, each, below))
    return kept


def with_named_fields(kind: MergeType | None, fields: FieldSet) -> FieldSet:
    """Returns a set with the declared fields around what is in it, which are otherwise not in a set."""
    made: FieldSet = {}
    for element, below in fields.items():
        if element == ".":
            continue
        inner = _type_at(kind, element)
        declared = element[0] == "f" and kind is not None and kind.map is not None and element[2:] in kind.map.fields
        deeper = with_named_fields(inner, children(below)) if below else EMPTY
        made[element] = node(is_member(below) or declared, deeper) or EMPTY
    return made


def _type_at(kind: MergeType | None, element: str) -> MergeType | None:
    if kind is None:
        return None
    if element[0] == "f" and kind.map is not None:
        return kind.map.fields.get(element[2:]) or kind.map.element
    return kind.list.items if element[0] == "k" and kind.list is not None else None
