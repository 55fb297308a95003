"""The shape of documents: types as the API describes them, with what the server's own language adds to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Structure:
    """The fields of an object type; shared by all its uses, so that a type may contain itself.

    `fields` are the fields as documents have them, `numbers` as protobuf messages have them: there an embedded
    type is a message of its own, whose fields documents show as the outer one's. `embedded` are the Go names of the
    types that such fields come from. `name` is "core.v1.PodSpec".
    """

    name: str
    fields: dict[str, Schema]
    required: frozenset[str] = frozenset()
    numbers: dict[int, str | Structure] = field(default_factory=dict)
    embedded: dict[str, str] = field(default_factory=dict)
    _rows: tuple[Row, ...] | None = field(default=None, repr=False, compare=False)
    _shown: tuple[tuple[str, Schema], ...] | None = field(default=None, repr=False, compare=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Returns what is known of each field, for fast iteration over documents."""
        if self._rows is None:
            self._rows = tuple(
                (name, each, each.type, each.pointer or each.is_struct, each.always)
                for name, each in self.fields.items()
            )
        return self._rows

    @property
    def shown(self) -> tuple[tuple[str, Schema], ...]:
        """Returns the fields that documents show even if they are unset."""
        if self._shown is None:
            self._shown = tuple((name, schema) for name, schema, _, _, always in self.rows if always)
        return self._shown

    def __repr__(self) -> str:
        return f"<Structure {self.name}>"


@dataclass(slots=True)
class Schema:
    """One use of a type, in a field or as an element, with what holds of this use only.

    `type` is one of object, array, map, string, integer, number, boolean, quantity, time, microtime, duration,
    int-or-string, bytes, any; numbers have a `format` (int32, int64, float64). `items` is the type of a list's or
    map's elements. `pointer` tells a zero that was written from one that was not; `omit_empty` leaves the zero out
    of documents. `patch_strategy` and `merge_key` are for strategic merge patches, `list_type`, `list_map_keys`,
    `list_key_defaults` (what keys are that an item does not state) and `map_type` for server-side apply. `go_type` is
    what error messages call the type, `wrapped` a list that is a protobuf message of its own. `preserves` says that an
    object may have other fields than the known ones, `enum` which words a string may be. A type "any" with a structure
    is an object of that structure or something else, as `go_type` says (v1.JSONSchemaPropsOrBool).
    """

    type: str
    format: str = ""
    go_type: str = ""
    items: Schema | None = None
    pointer: bool = False
    omit_empty: bool = False
    default: Any = None
    enum: tuple[str, ...] = ()
    merge_key: str = ""
    patch_strategy: frozenset[str] = frozenset()
    list_type: str = ""
    list_map_keys: tuple[str, ...] = ()
    list_key_defaults: tuple[Any, ...] = ()
    map_type: str = ""
    wrapped: bool = False
    preserves: bool = False
    resolve: Callable[[], Structure] | None = field(default=None, repr=False, compare=False)
    _structure: Structure | None = field(default=None, repr=False, compare=False)

    @property
    def structure(self) -> Structure:
        """Returns the fields of an object type, made when first asked for."""
        if self._structure is None:
            assert self.resolve is not None, f"a type {self.type} has no fields"
            self._structure = self.resolve()
        return self._structure

    @property
    def fields(self) -> Mapping[str, Schema]:
        """Returns the fields of an object type by their names in documents; none for other types."""
        return self.structure.fields if self.type == "object" else {}

    @property
    def required(self) -> frozenset[str]:
        """Returns the names of the fields that an object must have."""
        return self.structure.required if self.type == "object" else frozenset()

    @property
    def always(self) -> bool:
        """Says whether documents show this field even if it is unset."""
        return not self.omit_empty or (not self.pointer and self.is_struct and self.type != "any")

    @property
    def is_struct(self) -> bool:
        """Says whether Go has a struct for this type, which it never takes for empty."""
        return self.type in _STRUCTS


# (name, schema, type, whether a zero that was written is kept, whether it is always shown)
Row = tuple[str, Schema, str, bool, bool]
_STRUCTS = frozenset(("object", "quantity", "time", "microtime", "duration", "int-or-string", "any"))
