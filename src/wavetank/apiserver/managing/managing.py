"""Who writes, where, and what managedFields become by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.apiserver.codec.yamltext import warning_lines
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.managing.applied import read_applied
from wavetank.apiserver.managing.entries import timeless
from wavetank.apiserver.managing.fieldmanager import FieldManager, Scope
from wavetank.apiserver.managing.typed import Document
from wavetank.apiserver.request import Request

if TYPE_CHECKING:
    from wavetank.apiserver.writing import Write

_LONGEST = 128  # bytes of a manager's name


class Managing:
    """Keeps managedFields of what requests write."""

    def __init__(self, kinds: KindTable) -> None:
        self._fields = FieldManager(kinds)

    def update(self, write: Write, stored: Kind, live: Document | None, new: Document, now: str) -> None:
        """Writes into a document who manages its fields after a request; `live` is what was there, if anything."""
        scope = Scope(write.kind, stored.table, write.subresource)
        self._fields.update(scope, live, new, manager_of(write), now)

    def apply(self, write: Write, stored: Kind, live: Document | None, now: str) -> Document:
        """Returns what was there, if anything, with what a request applies to it."""
        return self.apply_in(Scope(write.kind, stored.table, write.subresource), write, live, now)

    def update_in(self, scope: Scope, write: Write, live: Document, new: Document, now: str) -> None:
        """Does the same as `update` for documents of another kind than the object's: those of a subresource."""
        self._fields.update(scope, live, new, manager_of(write), now)

    def apply_in(self, scope: Scope, write: Write, live: Document | None, now: str) -> Document:
        """Does the same as `apply` for documents of another kind than the object's: those of a subresource."""
        applied, strict = read_applied(scope.kind, write.request.body)
        options = write.options
        document = self._fields.apply(scope, live, applied, options.manager, options.force, now)
        if strict and options.field_validation == "Strict":
            raise bad_request(f"error strict decoding YAML: error converting YAML to JSON: {strict[0]}")
        if options.field_validation != "Ignore":
            write.request.warnings += (line for text in strict for line in warning_lines(text))
        return document


def manager_of(write: Write) -> str:
    """Returns who writes: what the request says, else the program that sends it."""
    return write.options.manager or _program(write.request)


def _program(request: Request) -> str:
    """Returns the part of a User-Agent before its first slash, as far as it can be printed and is not too long."""
    name = "".join(char for char in request.headers.get("user-agent", "").partition("/")[0] if char.isprintable())
    return name.encode()[:_LONGEST].decode("utf-8", "ignore")


def unchanged(new: Document, old: Document) -> bool:
    """Says whether two versions of an object are the same, or differ by nothing but the times of its managers."""
    if new == old:
        return True
    mine, theirs = (each["metadata"].get("managedFields") for each in (new, old))
    if not mine or not theirs or mine == theirs or timeless(mine) != timeless(theirs):
        return False
    return new | {"metadata": new["metadata"] | {"managedFields": theirs}} == old
