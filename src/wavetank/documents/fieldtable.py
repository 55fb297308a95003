"""Fields of a document with a line about each: what readers accept, and what the reference is written from."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

REQUIRED = "required"
NONE = "none"


class Field(NamedTuple):
    """A field: its name, the type of its value, its default as it would be written, and what it means."""

    name: str
    type: str
    default: str
    meaning: str


class FieldTable(Collection[str]):
    """The fields that a mapping may have; to readers a collection of their names."""

    def __init__(self, *fields: Field | tuple[str, str, str, str]) -> None:
        self.fields = tuple(Field(*field) for field in fields)
        self._names = tuple(field.name for field in self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
