"""The field managers of the paths that write: they keep managedFields up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.apiserver.codec.yamltext import warning_lines
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.managedfields.applied import read_applied
from wavetank.apiserver.managedfields.entries import timeless
from wavetank.apiserver.managedfields.fieldmanager import FieldManager
from wavetank.apiserver.managedfields.typed import Document, without_managers
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.textcache import cached_text

if TYPE_CHECKING:
    from wavetank.apiserver.verbs.write import Write

__all__ = [
    "FieldManagers",
    "apply",
    "manager_of",
    "put_managers",
    "take_managers",
    "unchanged",
    "without_managers",
]

_LONGEST = 128  # bytes of a manager's name
_MOST_PATHS = 2048  # field managers that are kept


class FieldManagers:
    """One FieldManager for each kind and subresource, created when it is first needed."""

    def __init__(self, kinds: KindTable) -> None:
        self._kinds = kinds
        self._known: dict[tuple[int, str, str], FieldManager] = {}

    def of(self, kind: Kind | Subresource, group_kind: GroupKind, subresource: str = "") -> FieldManager:
        """Returns the field manager of a path that writes documents of `kind`."""
        key = (id(kind), group_kind, subresource)
        known = self._known.get(key)
        if known is None or known.kind is not kind:  # custom kinds come and go
            if len(self._known) >= _MOST_PATHS:
                self._known.clear()
            known = self._known[key] = FieldManager(self._kinds, kind, group_kind, subresource)
        return known

    def update(self, write: Write, stored: Kind, live: Document | None, new: Document, now: str) -> None:
        """Updates managedFields of a new document in place; `live` is the current object, if any."""
        self.of(write.kind, stored.group_kind, write.subresource).update(live, new, manager_of(write), now)

    def apply(self, write: Write, stored: Kind, live: Document | None, now: str) -> Document:
        """Returns the current object, if any, merged with the configuration that a request applies."""
        return apply(self.of(write.kind, stored.group_kind, write.subresource), write, live, now)

    def of_new(self, write: Write, body: Kind | Subresource, document: Document, now: str) -> list[Document] | None:
        """Returns the managedFields of a document that is created below another object, or that is not stored."""
        fields = self.of(body, write.kind.group_kind, write.subresource)
        fields.update(None, document, manager_of(write), now)
        return take_managers(document)

    def apply_status(self, kind: Kind, live: Document, applied: Document, manager: str, now: str) -> Document:
        """Returns an object of a stored kind, merged with the status that a part of the server itself applies."""
        head = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": live["metadata"]["name"]}}
        return self.of(kind, kind.group_kind, "status").apply(live, head | applied, manager, True, now)


def apply(fields: FieldManager, write: Write, live: Document | None, now: str) -> Document:
    """Returns the current object, if any, merged with the configuration that a request applies."""
    applied, strict = read_applied(fields.kind, write.request.body)
    options = write.options
    document = fields.apply(live, applied, options.manager, options.force, now)
    if strict and options.field_validation == "Strict":
        raise bad_request(f"error strict decoding YAML: error converting YAML to JSON: {strict[0]}")
    if options.field_validation != "Ignore":
        write.request.warnings += (line for text in strict for line in warning_lines(text))
    return document


def take_managers(document: Document) -> list[Document] | None:
    """Removes managedFields from a document and returns them."""
    managed: list[Document] | None = document["metadata"].pop("managedFields", None)
    return managed


def put_managers(document: Document, managed: list[Document] | None) -> Document:
    """Puts managedFields into a document and returns it."""
    if managed:
        document["metadata"]["managedFields"] = managed
    return document


def manager_of(write: Write) -> str:
    """Returns the name of the manager: fieldManager of the request, else the client's program."""
    return write.options.manager or _program(write.request.headers.get("user-agent", ""))


@cached_text(256)
def _program(agent: str) -> str:
    """Returns the part of a User-Agent before its first slash, printable and not too long."""
    name = "".join(char for char in agent.partition("/")[0] if char.isprintable())
    return name.encode()[:_LONGEST].decode("utf-8", "ignore")


def unchanged(new: Document, old: Document) -> bool:
    """Says whether two versions of an object are equal, apart from the times in managedFields."""
    if new == old:
        return True
    mine, theirs = (each["metadata"].get("managedFields") for each in (new, old))
    if not mine or not theirs or mine == theirs or timeless(mine) != timeless(theirs):
        return False
    return new | {"metadata": new["metadata"] | {"managedFields": theirs}} == old
