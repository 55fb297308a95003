"""What is different between two values of a type."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.structured.fieldsets import LEAF, SELF, FieldSet, union
from wavetank.apiserver.structured.types import MISSING, ListType, MapType, MergeType


class Comparison:
    """The fields that the second value has no more, and those that it has changed or new."""

    __slots__ = ("added", "changed", "modified", "removed")

    def __init__(self, removed: FieldSet, modified: FieldSet, added: FieldSet) -> None:
        self.removed = removed
        self.modified = modified
        self.added = added
        self.changed = union(modified, added)


def compare(kind: MergeType, old: Any, new: Any) -> Comparison:
    """Compares two values; an UntypedError if an item of a keyed list has no keys."""
    if old is new or same(old, new):
        return Comparison({}, {}, {})
    removed, modified, added = _both(kind, old, new)
    return Comparison(removed or {}, modified or {}, added or {})


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


# What is removed, modified and added at an element: what is below it there, None if nothing is.
_Found = tuple[FieldSet | None, FieldSet | None, FieldSet | None]
_CHANGED: _Found = (None, LEAF, None)


class _Level:
    """Collects what is found below one element."""

    __slots__ = ("added", "modified", "removed")

    def __init__(self) -> None:
        self.removed: FieldSet = {}
        self.modified: FieldSet = {}
        self.added: FieldSet = {}

    def note(self, element: str, found: _Found) -> None:
        removed, modified, added = found
        if removed is not None:
            self.removed[element] = removed
        if modified is not None:
            self.modified[element] = modified
        if added is not None:
            self.added[element] = added

    @property
    def found(self) -> _Found:
        return self.removed or None, self.modified or None, self.added or None


def _both(kind: MergeType, old: Any, new: Any) -> _Found:
    """Compares two unequal values that are there; of two forms they are compared as either, which changes a leaf."""
    before, after = kind.form(old), kind.form(new)
    found = _as_form(kind, after, old, new)
    if before != after:
        other = _as_form(kind, before, old, new)
        removed, modified, added = (mine if mine is not None else its for mine, its in zip(found, other, strict=True))
        return removed, modified, added
    return found


def _as_form(kind: MergeType, form: str, old: Any, new: Any) -> _Found:
    if form == "map":
        assert kind.map is not None
        return _maps(kind.map, old, new)
    if form == "list":
        assert kind.list is not None
        return _lists(kind.list, old, new)
    return _CHANGED


def _maps(kind: MapType, old: Any, new: Any) -> _Found:
    before = old if type(old) is dict else {}
    after = new if type(new) is dict else {}
    if kind.atomic or not (before or after):
        return _CHANGED
    level = _Level()
    for name, each in after.items():
        was = before.get(name, MISSING)
        if was is MISSING:
            level.added[f"f:{name}"] = all_of(kind.at(name), each)
        elif was is not each and not same(was, each):
            level.note(f"f:{name}", _both(kind.at(name), was, each))
    for name, each in before.items():
        if name not in after:
            level.removed[f"f:{name}"] = all_of(kind.at(name), each)
    return level.found


def _lists(kind: ListType, old: Any, new: Any) -> _Found:
    before = old if type(old) is list else []
    after = new if type(new) is list else []
    if kind.atomic or not (before or after):
        return _CHANGED
    was, is_now = _by_element(kind, before), _by_element(kind, after)
    level = _Level()
    for element in {**was, **is_now}:
        level.note(element, _items(kind, was.get(element, []), is_now.get(element, [])))
    return level.found


def _items(kind: ListType, old: list[Any], new: list[Any]) -> _Found:
    """Compares the items of one key, of which there should be one: several are one value together."""
    if len(old) >= 2 and len(new) >= 2:
        return (None, None, None) if old == new else _CHANGED
    if len(old) >= 2:
        return LEAF, None, all_of(kind.items, new[0]) if new else None
    if len(new) >= 2:
        return all_of(kind.items, old[0]) if old else None, None, LEAF
    if not old or not new:
        whole = all_of(kind.items, (old or new)[0])
        return (whole, None, None) if old else (None, None, whole)
    return (None, None, None) if same(old[0], new[0]) else _both(kind.items, old[0], new[0])


def _by_element(kind: ListType, values: list[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in values:
        found.setdefault(kind.element(each), []).append(each)
    return found
