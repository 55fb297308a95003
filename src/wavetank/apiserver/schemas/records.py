"""The records of the generated file kinds.json, which scripts/generate_kinds.py writes."""

from __future__ import annotations

from functools import partial
from importlib import resources
from typing import Any

import msgspec

from wavetank.apiserver.schemas.schema import Schema, Structure

_FIELD_NAMES = {
    "name": "n",
    "type": "t",
    "number": "i",
    "pointer": "p",
    "omit_empty": "o",
    "omit_zero": "z",
    "patch_strategy": "s",
    "merge_key": "k",
    "list_type": "l",
    "list_map_keys": "m",
    "list_key_defaults": "v",
    "map_type": "a",
    "default": "d",
    "enum": "e",
}


_ALTERNATIVES = "v1.JSONSchemaProps"  # OrArray, OrBool, OrStringArray: a schema, or something else


class FieldRecord(msgspec.Struct, rename=_FIELD_NAMES):
    """A field; without a name it is an embedded structure."""

    name: str
    type: str
    number: int = 0
    pointer: bool = False
    omit_empty: bool = False
    omit_zero: bool = False
    patch_strategy: str = ""
    merge_key: str = ""
    list_type: str = ""
    list_map_keys: tuple[str, ...] = ()
    list_key_defaults: tuple[Any, ...] = ()
    map_type: str = ""
    default: Any = None
    enum: tuple[str, ...] = ()


class StructureRecord(msgspec.Struct, rename={"fields": "f", "required": "r", "map_type": "a"}):
    """An object type."""

    fields: list[FieldRecord]
    required: list[str] = []
    map_type: str = ""


class SubresourceRecord(msgspec.Struct):
    """A subresource, or what a resource has in common with one."""

    group: str
    version: str
    kind: str
    verbs: tuple[str, ...]
    structure: str


class KindRecord(SubresourceRecord):
    """A resource."""

    plural: str
    singular: str
    namespaced: bool
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    subresources: dict[str, SubresourceRecord]


class Records(msgspec.Struct):
    """The whole file; `known` are the kinds by apiVersion, served or not."""

    kinds: list[KindRecord]
    known: dict[str, tuple[str, ...]]
    structures: dict[str, StructureRecord]

    @classmethod
    def load(cls) -> Records:
        """Reads the file of this package."""
        text = resources.files("wavetank.apiserver.schemas").joinpath("kinds.json").read_bytes()
        return msgspec.json.decode(text, type=cls)


# What Go calls the scalar types, and what our schemas call them.
_SCALARS = {
    "string": ("string", "string"),
    "bool": ("boolean", "bool"),
    "int32": ("integer", "int32"),
    "int64": ("integer", "int64"),
    "float64": ("number", "float64"),
    "bytes": ("bytes", "[]uint8"),
    "quantity": ("quantity", "resource.Quantity"),
    "time": ("time", "v1.Time"),
    "microtime": ("microtime", "v1.MicroTime"),
    "duration": ("duration", "v1.Duration"),
    "int-or-string": ("int-or-string", "intstr.IntOrString"),
    "any": ("any", "runtime.RawExtension"),
}


class StructureTable:
    """Makes structures of records, each when it is first needed."""

    def __init__(self, records: dict[str, StructureRecord]) -> None:
        self._records = records
        self._made: dict[str, Structure] = {}

    def structure(self, name: str) -> Structure:
        """Returns the structure called "core.v1.PodSpec"."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def schema(self, expression: str) -> Schema:
        """Returns the type of an expression: "string", "[]core.v1.Container", "v1.ResourceList|map:quantity"."""
        if expression.startswith("[]"):
            items = self.schema(expression[2:])
            return Schema("array", go_type=f"[]{items.go_type}", items=items)
        if expression.startswith("map:"):
            items = self.schema(expression[4:])
            return Schema("map", go_type=f"map[string]{items.go_type}", items=items)
        name, bar, underlying = expression.partition("|")
        if bar:
            return self._named(name, self.schema(underlying))
        if expression in _SCALARS:
            type_, go_type = _SCALARS[expression]
            return Schema(type_, format=expression if type_ in ("integer", "number") else "", go_type=go_type)
        go_type = ".".join(expression.split(".")[-2:])
        map_type = self._records[expression].map_type
        return Schema("object", go_type=go_type, map_type=map_type, resolve=partial(self.structure, expression))

    def _named(self, name: str, schema: Schema) -> Schema:
        schema.wrapped = name.startswith("^")
        schema.go_type = name.removeprefix("^")
        if schema.go_type.startswith(f"{_ALTERNATIVES}Or"):
            schema.resolve = partial(self.structure, f"apiextensions.{_ALTERNATIVES}")
        return schema

    def _make(self, name: str) -> Structure:
        record = self._records[name]
        made = Structure(name, {}, frozenset(record.required))
        for each in record.fields:
            if each.name:
                made.fields[each.name] = self._field(each)
            else:
                self._embed(made, self.structure(each.type))
            if each.number:
                made.numbers[each.number] = each.name or self.structure(each.type)
        return made

    def _embed(self, outer: Structure, inner: Structure) -> None:
        own = inner.name.rpartition(".")[2]
        outer.fields |= inner.fields
        outer.required |= inner.required
        outer.embedded |= {
            key: f"{own}.{inner.embedded[key]}" if key in inner.embedded else own for key in inner.fields
        }

    def _field(self, record: FieldRecord) -> Schema:
        schema = self.schema(record.type)
        schema.pointer = record.pointer or record.omit_zero
        schema.omit_empty = record.omit_empty
        schema.default = record.default
        schema.enum = record.enum
        schema.merge_key = record.merge_key
        schema.patch_strategy = frozenset(record.patch_strategy.split())
        schema.list_type = record.list_type
        schema.list_map_keys = record.list_map_keys
        schema.list_key_defaults = record.list_key_defaults
        schema.map_type = record.map_type or schema.map_type
        return schema
