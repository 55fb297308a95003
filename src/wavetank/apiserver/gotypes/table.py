from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

_PREFIX = re.compile(r"\*|\[\]|\{\}")


@dataclass(frozen=True, slots=True)
class GoType:
    """A type in short form: `code` is *, [], {} (each of `item`), struct, or a letter for what has no parts.

    s string, i integer, b bool, f float, y bytes, q quantity, t time, u time with microseconds, d duration,
    x integer or string, a anything.
    """

    code: str
    item: GoType | None = None
    struct: str = ""


@dataclass(frozen=True, slots=True)
class InternalField:
    """A field of an internal type: its Go name, and what clients call it (empty where they have no such field).

    Metadata has no Go name: internal types show its fields among their own.
    """

    go_name: str
    name: str
    type: GoType


@cache
def internal_fields_of(struct: str) -> tuple[InternalField, ...]:
    """Returns the fields of an internal type, in Go's order; none for a type that clients see too."""
    rows = _table().get(struct, ())
    return tuple(InternalField(go_name, name, _parse(go)) for go_name, name, go in rows)


@cache
def _parse(text: str) -> GoType:
    prefix = _PREFIX.match(text)
    if prefix:
        return GoType(prefix[0], _parse(text[prefix.end() :]))
    return GoType("struct", struct=text) if "." in text else GoType(text)


@cache
def _table() -> dict[str, Any]:
    packed = files(__package__).joinpath("gotypes.json.gz").read_bytes()
    table: dict[str, Any] = msgspec.json.decode(gzip.decompress(packed))
    return table
