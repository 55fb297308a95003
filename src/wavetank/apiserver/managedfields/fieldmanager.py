"""Keeps managedFields up to date for every write through the API, and merges applied configurations."""

from __future__ import annotations

from functools import partial
from typing import Any

from wavetank.apiserver import errors
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.conversion.versions import to_served, to_stored
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.managedfields import entries
from wavetank.apiserver.managedfields.applied import describe
from wavetank.apiserver.managedfields.capping import capped
from wavetank.apiserver.managedfields.conflicts import refusal
from wavetank.apiserver.managedfields.converting import convert
from wavetank.apiserver.managedfields.entries import APPLY, UPDATE, Entry, Managers
from wavetank.apiserver.managedfields.lastapplied import KUBECTL, keep_up, own_fields
from wavetank.apiserver.managedfields.resetfields import reset_fields, stripped
from wavetank.apiserver.managedfields.typed import Document, Typed, without_managers
from wavetank.apiserver.managedfields.updater import ConflictsError, Updater
from wavetank.apiserver.structured import fieldsets
from wavetank.apiserver.structured.checking import check
from wavetank.apiserver.structured.types import MergeType, UntypedError, merge_type
from wavetank.cluster.objects.groupkinds import GroupKind

_BEFORE = "before-first-apply"
_UNKNOWN = "unknown"
_UNTYPED = "failed to convert new object ({}) to smd typed"
_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


class FieldManager:
    """Manages the fields of one kind's objects as one path writes them.

    `kind` is that of the path's documents, `group_kind` that of the stored objects; `subresource` is empty if the path
    is the object's own.
    """

    def __init__(
        self, kinds: KindTable, kind: Kind | Subresource, group_kind: GroupKind, subresource: str = ""
    ) -> None:
        self.kind = kind
        self._kinds = kinds
        self._group_kind = group_kind
        self._subresource = subresource
        self._custom = kind.custom if isinstance(kind, Kind) else None
        self._type = merge_type(kind.schema)
        self._others: dict[str, tuple[Kind, MergeType]] = {}  # how other versions are merged
        self._empty = self._typed(self._empty_document())
        reset = partial(reset_fields, kind, group_kind, subresource)
        self._updater = Updater(self._in_version, reset, settled=self._custom is None)

    def update(self, live: Document | None, new: Document, manager: str, now: str) -> None:
        """Updates managedFields of a document, in place, after an update by `manager` at `now`.

        `live` is the object as it was, None if it is new.
        """
        sent = new["metadata"].pop("managedFields", None)
        if self._custom is not None and not sent:
            sent = None  # custom objects lose an empty list when they are read
        managers = _known(live, sent, sub=bool(self._subresource))
        if live is not None and not managers:
            return  # an object without managers gets them only when it is applied
        before = self._typed(live) if live is not None else self._empty
        after = self._typed(_as_read(new) if self._group_kind == "DaemonSet.apps" else new)
        try:
            managers = self._updated(before, after, managers, manager, now)
        except UntypedError:
            return  # the real server leaves such objects without managers
        _put(new, capped(managers))

    def apply(self, live: Document | None, applied: Document, manager: str, force: bool, now: str) -> Document:
        """Returns an object with an applied configuration and new managedFields; `live` is None if there is none yet.

        A StatusError refuses what is not of the object's type (500) or conflicts with other managers (409).
        """
        managers = _present(live)
        before = self._typed(live) if live is not None else self._empty
        if live is not None and not managers:
            self._check(before, f"failed to create manager for existing fields: {_UNTYPED}")
            managers = self._updated(self._empty, before, managers, _BEFORE, now)
        after = self._typed(applied)
        self._check(after, "failed to create typed patch object ({})", duplicates=False)
        self._check(before, "failed to create typed live object ({})")
        entry = Entry(manager, APPLY, self.kind.api_version, self._subresource)
        merged, managers = self._applied(before, after, managers, entry, force)
        document = dict(before.document) if merged is None else self._finished(merged, applied)
        document["metadata"] = dict(document.get("metadata") or {})
        if manager == KUBECTL:
            keep_up(document, applied)
        mine = managers.get(entry.identifier)
        if mine is not None:
            managers[entry.identifier] = mine.at(now if merged is not None else _time(live, entry))
        _put(document, managers)
        return document

    def _updated(self, before: Typed, after: Typed, managers: Managers, manager: str, now: str) -> Managers:
        changed, managers = self._updater.update(before, after, managers)
        mine = stripped(changed)
        if not mine:
            return managers
        entry = Entry(manager or _UNKNOWN, UPDATE, self.kind.api_version, self._subresource, mine, now)
        identifier = entry.identifier
        known = managers.get(identifier)
        managers[identifier] = entry.owning(fieldsets.union(mine, known.fields)) if known else entry
        return managers

    def _applied(
        self, before: Typed, after: Typed, managers: Managers, entry: Entry, force: bool
    ) -> tuple[Document | None, Managers]:
        try:
            merged, managers = self._updater.apply(before, after, managers, entry, force=force)
        except ConflictsError as error:
            conflicts = error.conflicts
            if entry.manager == KUBECTL:
                allowed = own_fields(before)
                conflicts = [each for each in conflicts if not fieldsets.has(allowed, each[1])]
            if conflicts:
                raise refusal(conflicts) from None
            merged, managers = self._updater.apply(before, after, managers, entry, force=True)
        mine = managers.pop(entry.identifier, entry)
        if fields := stripped(mine.fields):
            managers[entry.identifier] = mine.owning(fields)
        return merged, managers

    def _check(self, value: Typed, where: str, *, duplicates: bool = True) -> None:
        """Refuses (500) a document that is not of its type; `where` says which one it is."""
        try:
            check(value.kind, value.document, duplicates=duplicates)
        except UntypedError as error:
            raise errors.plain(f"{where.format(describe(value.document))}: {error}") from None

    def _finished(self, merged: Document, applied: Document) -> Document:
        """Returns a merged document as the server reads it, with its defaults."""
        kind, custom = self.kind, self._custom
        try:
            document = convert(kind.schema, merged) if custom is None else custom.complete(merged)
        except UnreadableError as error:
            why = f"unable to convert unstructured object to {kind.group}/{kind.version}, Kind={kind.kind}: {error}"
            where = f"failed to convert new object ({describe(applied)}) to proper version"
            raise errors.plain(f"{where}: {why}") from None
        document.update(kind=kind.kind, apiVersion=kind.api_version)
        if isinstance(kind, Kind):
            set_defaults(kind, document)
        return document

    # documents and their types

    def _typed(self, document: Document) -> Typed:
        return Typed(self._type, without_managers(document), self.kind.api_version)

    def _empty_document(self) -> Document:
        head = {"apiVersion": self.kind.api_version, "kind": self.kind.kind}
        return head if self._custom is not None else {**canonical(self.kind.schema, {}), **head}

    def _in_version(self, value: Typed, version: str) -> Typed | None:
        if version == value.api_version:
            return value
        present = self._kinds.named(value.api_version, self.kind.kind)
        wanted = self._kinds.named(version, self.kind.kind)
        if present is None or wanted is None or present.group != wanted.group:
            return None  # Events do not show the managers of the other group
        if wanted.custom is not None:  # versions of custom kinds differ by their name only
            document = {**value.document, "apiVersion": version}
        else:
            whole = canonical(present.schema, value.document)  # Go converts what it has read
            document = canonical(wanted.schema, to_served(wanted, to_stored(present, whole)))
        return Typed(self._type_of(wanted), document, version)

    def _type_of(self, kind: Kind) -> MergeType:
        known = self._others.get(kind.version)
        if known is None or known[0] is not kind:  # custom kinds come and go
            known = self._others[kind.version] = (kind, merge_type(kind.schema))
        return known[1]


def _present(live: Document | None) -> Managers:
    return entries.read(live["metadata"].get("managedFields") or ()) if live is not None else {}


def _known(live: Document | None, sent: Any, *, sub: bool) -> Managers:
    """Returns the managers before a write: those that the client sends, where it may, else those of the object."""
    present = _present(live)
    if sub or sent is None or (live is not None and sent == live["metadata"].get("managedFields")):
        return present  # most clients send what they have read
    if sent in ([], [{}]):
        return {}  # how clients remove all managers
    try:
        return entries.read_sent(sent) or present
    except ValueError:
        return present


def _time(live: Document | None, entry: Entry) -> str | None:
    known = _present(live).get(entry.identifier)
    return known.time if known is not None else None


def _as_read(daemon_set: Document) -> Document:
    """Returns a DaemonSet as the real server has it once it is read: with an annotation that it keeps as a number."""
    annotations = daemon_set["metadata"].get("annotations") or {}
    metadata = {**daemon_set["metadata"], "annotations": {_TEMPLATE_GENERATION: "0", **annotations}}
    return {**daemon_set, "metadata": metadata}


def _put(document: Document, managers: Managers) -> None:
    if managers:
        document["metadata"]["managedFields"] = entries.write(managers)
    else:
        document["metadata"].pop("managedFields", None)
