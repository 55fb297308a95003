"""How values of a type are merged: which lists have keys, which lists and maps are one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wavetank.apiserver.schemas.schema import Schema
from wavetank.apiserver.structured import elements

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING", "__slots__": ()})()

STRING, NUMERIC, BOOLEAN, UNTYPED = "string", "numeric", "boolean", "untyped"


class UntypedError(ValueError):
    """A value is not of its type; the text is what the real server says of it."""


class ListType:
    """How a list is merged: as one value, by the keys of its items, or as a set where there are no keys."""

    def __init__(
        self, atomic: bool, items: Callable[[], MergeType], keys: tuple[str, ...] = (), defaults: tuple[Any, ...] = ()
    ) -> None:
        self.atomic = atomic
        self.keys = keys
        self._items = items
        given = defaults or (None,) * len(keys)
        self._defaults = tuple(sorted(zip(keys, given, strict=True), key=lambda pair: pair[0]))
        self._names = tuple(name for name, _ in self._defaults)

    @cached_property
    def items(self) -> MergeType:
        """Returns the type of the items."""
        return self._items()

    def element(self, value: Any) -> str:
        """Returns the element by which an item is known; an UntypedError if it has none."""
        return self._item(value) if self.keys else _member(value)

    def _item(self, value: Any) -> str:
        if type(value) is not dict:
            kind = "a null element" if value is None else "non-map elements"
            raise UntypedError(f"associative list with keys may not have {kind}")
        values = tuple(value.get(name, default) for name, default in self._defaults)
        if None not in values:
            return elements.item(self._names, values)
        stated = [
            (name, each) for name, each in zip(self._names, values, strict=True) if name in value or each is not None
        ]
        if not stated:
            names = " ".join(f'"{name}"' for name in self.keys)
            why = "(and doesn't have default values for any key fields)"
            raise UntypedError(f"associative list with keys has an element that omits all key fields [{names}] {why}")
        return elements.item(*zip(*stated, strict=True))


def _member(value: Any) -> str:
    if type(value) is dict:
        raise UntypedError("associative list without keys has an element that's a map type")
    if type(value) is list:
        raise UntypedError("not supported: associative list with lists as elements")
    if value is None:
        raise UntypedError("associative list without keys has an element that's an explicit null")
    return elements.member(value)


class MapType:
    """How a map or an object is merged: as one value or field by field.

    `element` is the type of fields that are not declared; None if there must be none.
    """

    def __init__(
        self,
        atomic: bool,
        fields: Callable[[], Mapping[str, MergeType]],
        element: Callable[[], MergeType | None],
    ) -> None:
        self.atomic = atomic
        self._fields = fields
        self._element = element

    @cached_property
    def fields(self) -> Mapping[str, MergeType]:
        """Returns the declared fields."""
        return self._fields()

    @cached_property
    def element(self) -> MergeType | None:
        """Returns the type of other fields."""
        return self._element()

    def at(self, name: str) -> MergeType:
        """Returns the type of a field; what is not declared and must not be there is taken as it is."""
        return self.fields.get(name) or self.element or UNTYPED_VALUE


@dataclass(frozen=True, slots=True, eq=False)
class MergeType:
    """A type: a scalar, a list, a map, or one of several, which the value then decides."""

    scalar: str = ""
    list: ListType | None = None
    map: MapType | None = None

    def form(self, value: Any) -> str:
        """Returns which of the types a value has: "map", "list" or "scalar"; what has none of them has the first."""
        if type(value) is dict:
            found = "map" if self.map is not None else ""
        elif type(value) is list:
            found = "list" if self.list is not None else ""
        else:
            found = "scalar" if self.scalar and value is not None else ""
        return found or self._first

    @property
    def _first(self) -> str:
        if self.map is not None:
            return "map"
        return "scalar" if self.scalar else "list"


def _nothing() -> Mapping[str, MergeType]:
    return {}


def _untyped() -> MergeType:
    return UNTYPED_VALUE


def _deduced() -> MergeType:
    return DEDUCED_VALUE


# Any value, taken as one.
UNTYPED_VALUE = MergeType(UNTYPED, ListType(True, _untyped), MapType(True, _nothing, _untyped))
# Any value, whose maps are merged key by key.
DEDUCED_VALUE = MergeType(UNTYPED, ListType(True, _untyped), MapType(False, _nothing, _deduced))

_SCALARS = {"string": STRING, "duration": STRING, "bytes": STRING, "integer": NUMERIC, "number": NUMERIC}
_RAW = "runtime.RawExtension"


def merge_type(schema: Schema, preserves: bool = False) -> MergeType:
    """Returns how values of a schema are merged; `preserves`: fields that it does not declare may be there."""
    preserves = preserves or schema.preserves
    if schema.type == "object":
        return MergeType(map=MapType(_is_atomic(schema), lambda: _fields(schema, preserves), _others(preserves)))
    if schema.type == "map":
        return MergeType(map=MapType(_is_atomic(schema), _nothing, lambda: _items(schema, preserves)))
    if schema.type == "array":
        keys = schema.list_map_keys if schema.list_type == "map" else ()
        defaults = schema.list_key_defaults if keys else ()
        atomic = schema.list_type not in ("map", "set")
        return MergeType(list=ListType(atomic, lambda: _items(schema, preserves), keys, defaults))
    if schema.type in ("any", "int-or-string"):  # OpenAPI has no type for either
        return UNTYPED_VALUE if schema.go_type == _RAW or _is_atomic(schema) else DEDUCED_VALUE
    return MergeType(BOOLEAN if schema.type == "boolean" else _SCALARS.get(schema.type, UNTYPED))


def _is_atomic(schema: Schema) -> bool:
    return schema.map_type == "atomic"


def _others(preserves: bool) -> Callable[[], MergeType | None]:
    return _deduced if preserves else lambda: None


def _fields(schema: Schema, preserves: bool) -> Mapping[str, MergeType]:
    return {name: merge_type(each, preserves) for name, each in schema.fields.items()}


def _items(schema: Schema, preserves: bool) -> MergeType:
    return merge_type(schema.items, preserves) if schema.items is not None else DEDUCED_VALUE
