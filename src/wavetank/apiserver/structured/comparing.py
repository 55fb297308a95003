"""What is different between two values of a type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wavetank.apiserver.structured import elements
from wavetank.apiserver.structured.fieldsets import LEAF, SELF, FieldSet, insert
from wavetank.apiserver.structured.types import MISSING, ListType, MapType, MergeType


@dataclass(slots=True)
class Comparison:
    """The fields that the second value has no more, has changed, and has new."""

    removed: FieldSet = field(default_factory=dict)
    modified: FieldSet = field(default_factory=dict)
    added: FieldSet = field(default_factory=dict)


def compare(kind: MergeType, old: Any, new: Any) -> Comparison:
    """Compares two values; an UntypedError if an item of a keyed list has no keys."""
    comparer = _Comparer(Comparison())
    comparer.values(kind, old, new)
    return comparer.found


def same(old: Any, new: Any) -> bool:
    """Says whether two leaves are equal: other than in Python, true is not 1."""
    return bool(old == new) and (type(old) is bool) == (type(new) is bool)


def all_of(kind: MergeType, value: Any) -> FieldSet:
    """Returns what is below the path of a value that is new as a whole: everything that it has."""
    if type(value) is dict and kind.map is not None and not kind.map.atomic and value:
        below: FieldSet = {SELF: LEAF}
        fields, other = kind.map.fields, kind.map.at
        for name, each in value.items():
            inner = fields.get(name) or other(name)
            below[f"f:{name}"] = LEAF if inner.scalar and type(each) is not dict else all_of(inner, each)
        return below
    if type(value) is list and kind.list is not None and not kind.list.atomic and value:
        below = {SELF: LEAF}
        counts: dict[str, int] = {}
        for each in value:
            element = kind.list.element(each)
            counts[element] = counts.get(element, 0) + 1
            below[element] = all_of(kind.list.items, each) if counts[element] == 1 else LEAF
        return below
    return LEAF


class _Comparer:
    """Walks over two values at once and notes where they differ."""

    def __init__(self, found: Comparison) -> None:
        self.found = found
        self.path: list[str] = []

    def values(self, kind: MergeType, old: Any, new: Any) -> None:
        if old is new or (old is not MISSING and new is not MISSING and same(old, new)):
            return
        if old is MISSING:
            self._put(self.found.added, all_of(kind, new))
        elif new is MISSING:
            self._put(self.found.removed, all_of(kind, old))
        else:
            self._both(kind, old, new)

    def _both(self, kind: MergeType, old: Any, new: Any) -> None:
        """Compares two values that are there; of two forms they are compared as either, which changes a leaf."""
        before, after = kind.form(old), kind.form(new)
        for form in (before, after) if before != after else (after,):
            if form == "map":
                assert kind.map is not None
                self._maps(kind.map, old, new)
            elif form == "list":
                assert kind.list is not None
                self._lists(kind.list, old, new)
            else:
                self._put(self.found.modified, LEAF)

    def _maps(self, kind: MapType, old: Any, new: Any) -> None:
        before = old if type(old) is dict else {}
        after = new if type(new) is dict else {}
        if kind.atomic or not (before or after):
            self._put(self.found.modified, LEAF)
            return
        for name, each in after.items():
            self._inner(elements.field(name), kind.at(name), before.get(name, MISSING), each)
        for name, each in before.items():
            if name not in after:
                self._inner(elements.field(name), kind.at(name), each, MISSING)

    def _lists(self, kind: ListType, old: Any, new: Any) -> None:
        before = old if type(old) is list else []
        after = new if type(new) is list else []
        if kind.atomic or not (before or after):
            self._put(self.found.modified, LEAF)
            return
        was, is_now = _by_element(kind, before), _by_element(kind, after)
        for element in {**was, **is_now}:
            self._items(kind, element, was.get(element, []), is_now.get(element, []))

    def _items(self, kind: ListType, element: str, old: list[Any], new: list[Any]) -> None:
        """Compares the items of one key, of which there should be one: several are one value together."""
        if len(old) <= 1 and len(new) <= 1:
            self._inner(element, kind.items, old[0] if old else MISSING, new[0] if new else MISSING)
        elif len(old) >= 2 and len(new) >= 2:
            if old != new:
                self._at(element, self.found.modified, LEAF)
        elif len(old) >= 2:
            if new:
                self._inner(element, kind.items, MISSING, new[0])
            self._at(element, self.found.removed, LEAF)
        else:
            if old:
                self._inner(element, kind.items, old[0], MISSING)
            self._at(element, self.found.added, LEAF)

    def _inner(self, element: str, kind: MergeType, old: Any, new: Any) -> None:
        self.path.append(element)
        self.values(kind, old, new)
        self.path.pop()

    def _at(self, element: str, fields: FieldSet, below: FieldSet) -> None:
        insert(fields, [*self.path, element], below)

    def _put(self, fields: FieldSet, below: FieldSet) -> None:
        if self.path:
            insert(fields, self.path, below)


def _by_element(kind: ListType, values: list[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in values:
        found.setdefault(kind.element(each), []).append(each)
    return found
