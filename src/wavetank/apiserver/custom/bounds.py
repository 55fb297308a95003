"""How large and how many the values of a schema can be, as the estimates of CEL rules see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wavetank.apiserver.custom.celschema import escape, type_of_schema
from wavetank.apiserver.custom.schema.structural import Structural

LARGEST_REQUEST = 3 * 1024 * 1024  # bytes
_TEXT = LARGEST_REQUEST - 2  # without the quotes
# the greatest length and the least size in JSON of formats
_FORMATS = {"duration": (32, 3), "date": (12, 12), "date-time": (32, 21)}
_SCALARS = {"boolean": 4, "number": 1, "integer": 1}


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a value: `most` characters, items or entries, and at least `least` bytes in JSON."""

    most: int = 0
    least: int = 2
    fields: Mapping[str, Bounds] = field(default_factory=dict)
    item: Bounds | None = None
    key: Bounds | None = None

    @property
    def repetitions(self) -> int:
        """Returns how often such a value fits into one request."""
        return LARGEST_REQUEST // (self.least + 1)

    def size_of(self, path: tuple[str, ...]) -> int | None:
        """Returns the greatest size of a part, None if it is unknown."""
        found: Bounds | None = self
        for name in path:
            if found is None:
                return None
            if name in ("@items", "@values"):
                found = found.item
            elif name == "@keys":
                found = found.key
            else:
                found = found.fields.get(name)
        return found.most if found is not None else None


def bounds_of(schema: Structural, *, root: bool = False) -> Bounds | None:
    """Returns the bounds of a schema's values; None where expressions cannot see them."""
    if type_of_schema(schema, root=root) is None:
        return None
    if schema.int_or_string:
        return Bounds(_length(schema), 1)
    if schema.type == "array" and schema.items is not None:
        item = bounds_of(schema.items, root=schema.items.embedded)
        assert item is not None
        return Bounds(_stated(schema, "maxItems", (LARGEST_REQUEST - 2) // (item.least + 1)), item=item)
    if schema.type == "object" or root:
        return _of_object(schema, root)
    if schema.type == "string":
        return _of_text(schema)
    return Bounds(0, _SCALARS.get(schema.type, 2))


def _of_object(schema: Structural, root: bool) -> Bounds:
    if schema.additional is not None and not root:
        value = bounds_of(schema.additional, root=schema.additional.embedded)
        assert value is not None
        return Bounds(
            _stated(schema, "maxProperties", (LARGEST_REQUEST - 2) // (value.least + 6)), item=value, key=Bounds()
        )
    fields: dict[str, Bounds] = {}
    least, required = 2, schema.raw.get("required") or ()
    for name, each in schema.properties.items():
        found = bounds_of(each, root=each.embedded)
        if found is not None:
            fields[escape(name)] = found
            if name in required and "default" not in each.raw:
                least += len(name.encode()) + found.least + 4
    if root:
        text = Bounds(_TEXT, 2)
        fields |= {"kind": text, "apiVersion": text, "metadata": Bounds(fields={"name": text, "generateName": text})}
    return Bounds(0, least, fields)


def _of_text(schema: Structural) -> Bounds:
    form = schema.raw.get("format", "")
    if form in _FORMATS:
        return Bounds(*_FORMATS[form])
    if form == "byte":
        return Bounds(_stated(schema, "maxLength", _TEXT))
    words = schema.raw.get("enum")
    if schema.raw.get("maxLength") is None and words:
        return Bounds(max((len(each.encode()) for each in words if isinstance(each, str)), default=0))
    return Bounds(_length(schema))


def _length(schema: Structural) -> int:
    """Returns the bytes that a text may have: up to four for each character."""
    stated = schema.raw.get("maxLength")
    return _TEXT if stated is None else max(stated, 0) * 4


def _stated(schema: Structural, name: str, otherwise: int) -> int:
    stated = schema.raw.get(name)
    return otherwise if stated is None else max(stated, 0)
