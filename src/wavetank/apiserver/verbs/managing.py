"""Who writes, where, and what managedFields become by it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from wavetank.apiserver.codec.yamltext import warning_lines
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.managedfields.applied import read_applied
from wavetank.apiserver.managedfields.entries import timeless
from wavetank.apiserver.managedfields.fieldmanager import FieldManager
from wavetank.apiserver.managedfields.typed import Document, without_managers

if TYPE_CHECKING:
    from wavetank.apiserver.verbs.writing import Write

__all__ = ["Managing", "apply", "manager_of", "put_managers", "take_managers", "unchanged", "without_managers"]

_LONGEST = 128  # bytes of a manager's name
_MOST_PATHS = 2048  # that are remembered


class Managing:
    """Keeps managedFields of what requests write."""

    def __init__(self, kinds: KindTable) -> None:
        self._kinds = kinds
        self._known: dict[tuple[int, str, str], FieldManager] = {}

    def of(self, kind: Kind | Subresource, table: str, subresource: str = "") -> FieldManager:
        """Returns who knows the managers of objects that a path writes, in documents of `kind`."""
        key = (id(kind), table, subresource)
        known = self._known.get(key)
        if known is None or known.kind is not kind:  # custom kinds come and go
            if len(self._known) >= _MOST_PATHS:
                self._known.clear()
            known = self._known[key] = FieldManager(self._kinds, kind, table, subresource)
        return known

    def update(self, write: Write, stored: Kind, live: Document | None, new: Document, now: str) -> None:
        """Writes into a document who manages its fields after a request; `live` is what was there, if anything."""
        self.of(write.kind, stored.group_kind, write.subresource).update(live, new, manager_of(write), now)

    def apply(self, write: Write, stored: Kind, live: Document | None, now: str) -> Document:
        """Returns what was there, if anything, with what a request applies to it."""
        return apply(self.of(write.kind, stored.group_kind, write.subresource), write, live, now)


def apply(fields: FieldManager, write: Write, live: Document | None, now: str) -> Document:
    """Returns what was there, if anything, with what a request applies to it."""
    applied, strict = read_applied(fields.kind, write.request.body)
    options = write.options
    document = fields.apply(live, applied, options.manager, options.force, now)
    if strict and options.field_validation == "Strict":
        raise bad_request(f"error strict decoding YAML: error converting YAML to JSON: {strict[0]}")
    if options.field_validation != "Ignore":
        write.request.warnings += (line for text in strict for line in warning_lines(text))
    return document


def take_managers(document: Document) -> list[Document] | None:
    """Takes the managers out of a document, and returns them."""
    managed: list[Document] | None = document["metadata"].pop("managedFields", None)
    return managed


def put_managers(document: Document, managed: list[Document] | None) -> Document:
    """Puts managers into a document, and returns it."""
    if managed:
        document["metadata"]["managedFields"] = managed
    return document


def manager_of(write: Write) -> str:
    """Returns who writes: what the request says, else the program that sends it."""
    return write.options.manager or _program(write.request.headers.get("user-agent", ""))


@lru_cache(maxsize=256)
def _program(agent: str) -> str:
    """Returns the part of a User-Agent before its first slash, as far as it can be printed and is not too long."""
    name = "".join(char for char in agent.partition("/")[0] if char.isprintable())
    return name.encode()[:_LONGEST].decode("utf-8", "ignore")


def unchanged(new: Document, old: Document) -> bool:
    """Says whether two versions of an object are the same, or differ by nothing but the times of its managers."""
    if new == old:
        return True
    mine, theirs = (each["metadata"].get("managedFields") for each in (new, old))
    if not mine or not theirs or mine == theirs or timeless(mine) != timeless(theirs):
        return False
    return new | {"metadata": new["metadata"] | {"managedFields": theirs}} == old
