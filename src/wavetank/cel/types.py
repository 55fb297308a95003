"""Types of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wavetank.cel.values import RESERVED, escape

if TYPE_CHECKING:
    from wavetank.apiserver.custom.schema.structural import Structural


@dataclass(frozen=True, slots=True)
class Type:
    """A type: `name` with the types that it is made of; objects have fields. A variable has an upper-case name."""

    name: str
    params: tuple[Type, ...] = ()
    fields: Mapping[str, Type] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        if self.params:
            name = "optional_type" if self.name == "optional" else self.name
            return f"{name}({', '.join(map(str, self.params))})"
        return _SHOWN.get(self.name, self.name)

    @property
    def is_variable(self) -> bool:
        """Says whether this stands for any type, the same one wherever it stands."""
        return len(self.name) == 1 and self.name.isupper()


_SHOWN = {
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
    "Quantity": "kubernetes.Quantity",
    "URL": "kubernetes.URL",
    "IP": "net.IP",
    "CIDR": "net.CIDR",
}
DYN, ERROR, NULL = Type("dyn"), Type("!error!"), Type("null")
BOOL, INT, UINT, DOUBLE, STRING, BYTES = map(Type, ("bool", "int", "uint", "double", "string", "bytes"))
TIMESTAMP, DURATION = Type("timestamp"), Type("duration")


def list_of(item: Type) -> Type:
    """Returns the type of a list."""
    return Type("list", (item,))


def map_of(key: Type, value: Type) -> Type:
    """Returns the type of a map."""
    return Type("map", (key, value))


def optional_of(value: Type) -> Type:
    """Returns the type of a value that may be missing."""
    return Type("optional", (value,))


_FORMATS = {"byte": BYTES, "duration": DURATION, "date": TIMESTAMP, "date-time": TIMESTAMP}
_SCALARS = {"boolean": BOOL, "number": DOUBLE, "integer": INT}


def type_of_schema(schema: Structural | None, *, root: bool = False, name: str = "selfType") -> Type | None:
    """Returns the type of a schema's values; None where expressions cannot see them."""
    if schema is None:
        return None
    if schema.int_or_string:
        return DYN
    if schema.type == "array":
        item = type_of_schema(schema.items, root=bool(schema.items and schema.items.embedded), name=f"{name}.@idx")
        return list_of(item) if item is not None else None
    if schema.type == "object" or root:
        return _type_of_object(schema, root, name)
    if schema.type == "string":
        return _FORMATS.get(schema.raw.get("format", ""), STRING)
    return _SCALARS.get(schema.type)


def _type_of_object(schema: Structural, root: bool, name: str) -> Type | None:
    if schema.additional is not None and not root:
        value = type_of_schema(schema.additional, root=schema.additional.embedded, name=f"{name}.@elem")
        return map_of(STRING, value) if value is not None else None
    fields: dict[str, Type] = {}
    for key, each in schema.properties.items():
        found = type_of_schema(each, root=each.embedded, name=f"{name}.{key}")
        if found is not None and _can_be_named(key):
            fields[escape(key)] = found
    if root:
        metadata = Type(f"{name}.metadata", fields={"name": STRING, "generateName": STRING})
        fields |= {"kind": STRING, "apiVersion": STRING, "metadata": metadata}
    return Type(name, fields=fields)


def _can_be_named(name: str) -> bool:
    return name in RESERVED or escape(name).isidentifier()
