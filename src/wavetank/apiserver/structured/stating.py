"""The set of fields that a value states: those that its applier will own."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.structured import elements
from wavetank.apiserver.structured.fieldsets import LEAF, FieldSet, node
from wavetank.apiserver.structured.types import ListType, MapType, MergeType


def stated(kind: MergeType, value: Any) -> FieldSet:
    """Returns the set of all leaves, items and keys that a value mentions, but not of the objects around them."""
    return _stated(kind, value)[1]


def _stated(kind: MergeType, value: Any) -> tuple[bool, FieldSet]:
    """Returns whether the value itself is a leaf, and what is below it."""
    form = kind.form(value)
    if form == "map":
        assert kind.map is not None
        return (True, {}) if kind.map.atomic else (False, _fields(kind.map, value))
    if form == "list":
        assert kind.list is not None
        return (True, {}) if kind.list.atomic else (False, _items(kind.list, value))
    return True, {}


def _fields(kind: MapType, value: Any) -> FieldSet:
    made: FieldSet = {}
    for name, each in (value or {}).items():
        member, below = _stated(kind.at(name), each)
        member = member or each is None or each == {} or name not in kind.fields
        found = node(member, below)
        if found is not None:
            made[elements.field(name)] = found
    return made


def _items(kind: ListType, value: Any) -> FieldSet:
    made: FieldSet = {}
    duplicates: set[str] = set()
    for each in value or []:
        element = kind.element(each)
        if element in made:
            duplicates.add(element)
        made[element] = node(True, _stated(kind.items, each)[1])
    made.update(dict.fromkeys(duplicates, LEAF))
    return made
