"""Keeps managedFields for every write that comes through the API, and merges what is applied."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from wavetank.apiserver import errors
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.custom.customtype import CustomType
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.managing import entries
from wavetank.apiserver.managing.applied import describe
from wavetank.apiserver.managing.capping import capped
from wavetank.apiserver.managing.conflicts import refusal
from wavetank.apiserver.managing.converting import convert
from wavetank.apiserver.managing.entries import APPLY, UPDATE, Entry, Managers
from wavetank.apiserver.managing.lastapplied import KUBECTL, keep_up, own_fields
from wavetank.apiserver.managing.resetfields import reset_fields
from wavetank.apiserver.managing.typed import Document, Typed
from wavetank.apiserver.managing.updater import ConflictsError, Updater
from wavetank.apiserver.structured import fieldsets
from wavetank.apiserver.structured.checking import check
from wavetank.apiserver.structured.types import MergeType, UntypedError, merge_type
from wavetank.apiserver.versions import to_served, to_stored

_METADATA = ("name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName")
_COUNTED = ("generation", "managedFields", "resourceVersion")
# What nobody manages.
_STRIPPED = fieldsets.of(
    ("f:apiVersion",),
    ("f:kind",),
    ("f:metadata",),
    *(("f:metadata", f"f:{name}") for name in (*_METADATA, *_COUNTED)),
)
_SELF = "current-operation"
_BEFORE = "before-first-apply"
_UNKNOWN = "unknown"
_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an object is written: its documents' kind, the store's table, and the subresource if it is one."""

    kind: Kind | Subresource
    table: str
    subresource: str = ""

    @property
    def custom(self) -> CustomType | None:
        """Returns what is special about documents of a custom kind."""
        return self.kind.custom if isinstance(self.kind, Kind) else None


class FieldManager:
    """Knows who manages which field of the objects that are written through the API."""

    def __init__(self, kinds: KindTable) -> None:
        self._kinds = kinds
        self._types: dict[int, tuple[object, MergeType]] = {}

    def update(self, scope: Scope, live: Document | None, new: Document, manager: str, now: str) -> None:
        """Writes into a document who manages its fields, after an update by `manager` at `now`.

        `live` is the object as it was, None if it is new; both are documents of the scope's kind.
        """
        sent = new["metadata"].pop("managedFields", None)
        if scope.custom is not None and not sent:
            sent = None  # custom objects lose an empty list when they are read
        managers = _known(live, sent, sub=bool(scope.subresource))
        if live is not None and not managers:
            return  # nobody manages this object until somebody applies to it
        before, after = self._typed(scope, live or self._empty(scope)), self._typed(scope, _as_read(scope, new))
        try:
            managers = self._updated(scope, before, after, managers, manager, now)
        except UntypedError:
            return  # the real server leaves such objects without managers
        _put(new, capped(managers))

    def apply(
        self, scope: Scope, live: Document | None, applied: Document, manager: str, force: bool, now: str
    ) -> Document:
        """Returns an object with what is applied, and who manages it then; `live` is None if there is none yet.

        A StatusError refuses what is not of the object's type (500) or conflicts with other managers (409).
        """
        managers = entries.read((live or {}).get("metadata", {}).get("managedFields") or ())
        before = self._typed(scope, live if live is not None else self._empty(scope))
        if live is not None and not managers:
            managers = self._updated(scope, self._typed(scope, self._empty(scope)), before, managers, _BEFORE, now)
        after = self._typed(scope, applied)
        self._check(scope, applied, after)
        entry = Entry(manager, APPLY, scope.kind.api_version, scope.subresource)
        merged, managers = self._applied(scope, before, after, managers, entry, force)
        document = dict(before.document) if merged is None else self._finished(scope, merged, applied)
        document["metadata"] = dict(document.get("metadata") or {})
        if manager == KUBECTL:
            keep_up(document, applied)
        mine = managers.get(entry.identifier)
        if mine is not None:
            managers[entry.identifier] = replace(mine, time=now if merged is not None else _time(live, entry))
        _put(document, managers)
        return document

    def _updated(
        self, scope: Scope, before: Typed, after: Typed, managers: Managers, manager: str, now: str
    ) -> Managers:
        version, subresource = scope.kind.api_version, scope.subresource
        self_ = Entry(_SELF, UPDATE, version, subresource)
        managers = _stripped(self._updater(scope).update(before, after, managers, self_), self_)
        mine = managers.pop(self_.identifier, None)
        if mine is None:
            return managers
        entry = Entry(manager or _UNKNOWN, UPDATE, version, subresource, time=now)
        known = managers.get(entry.identifier)
        fields = fieldsets.union(mine.owned, known.owned) if known else mine.owned
        managers[entry.identifier] = entry.owning(fields)
        return managers

    def _applied(
        self, scope: Scope, before: Typed, after: Typed, managers: Managers, entry: Entry, force: bool
    ) -> tuple[Document | None, Managers]:
        updater = self._updater(scope)
        try:
            merged, managers = updater.apply(before, after, managers, entry, force=force)
        except ConflictsError as error:
            conflicts = error.conflicts
            if entry.manager == KUBECTL:
                allowed = own_fields(before)
                conflicts = [each for each in conflicts if not fieldsets.has(allowed, each[1])]
            if conflicts:
                raise refusal(conflicts) from None
            merged, managers = updater.apply(before, after, managers, entry, force=True)
        return merged, _stripped(managers, entry)

    def _check(self, scope: Scope, applied: Document, typed: Typed) -> None:
        try:
            check(typed.kind, applied)
        except UntypedError as error:
            raise errors.plain(f"failed to create typed patch object ({describe(applied)}): {error}") from None

    def _finished(self, scope: Scope, merged: Document, applied: Document) -> Document:
        """Returns a merged document as the server reads it, with its defaults."""
        kind, custom = scope.kind, scope.custom
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

    # objects and their types

    def _updater(self, scope: Scope) -> Updater:
        def in_version(value: Typed, version: str) -> Typed | None:
            return value if version == value.api_version else self._convert(scope, value, version)

        return Updater(in_version, partial(reset_fields, scope.kind, scope.table, scope.subresource))

    def _convert(self, scope: Scope, value: Typed, version: str) -> Typed | None:
        present = self._kinds.named(value.api_version, scope.kind.kind)
        wanted = self._kinds.named(version, scope.kind.kind)
        if present is None or wanted is None:
            return None
        if wanted.custom is not None:  # versions of custom kinds differ by their name only
            document = {**value.document, "apiVersion": version}
        else:
            document = to_served(wanted, to_stored(present, value.document))
        return Typed(self._type(wanted), document, version)

    def _typed(self, scope: Scope, document: Document) -> Typed:
        return Typed(self._type(scope.kind), _unmanaged(document), scope.kind.api_version)

    def _type(self, kind: Kind | Subresource) -> MergeType:
        schema = kind.schema
        known = self._types.get(id(schema))
        if known is None or known[0] is not schema:
            known = self._types[id(schema)] = (schema, merge_type(schema))
        return known[1]

    def _empty(self, scope: Scope) -> Document:
        if scope.custom is not None:
            return {"apiVersion": scope.kind.api_version, "kind": scope.kind.kind}
        return canonical(scope.kind.schema, {})


def _known(live: Document | None, sent: Any, *, sub: bool) -> Managers:
    """Returns the managers before a write: those that the client sends, where it may, else those of the object."""
    present = entries.read((live or {}).get("metadata", {}).get("managedFields") or ())
    if sub or sent is None:
        return present
    if sent in ([], [{}]):
        return {}  # how clients say that nobody shall manage anything
    try:
        return entries.read_sent(sent) or present
    except ValueError:
        return present


def _stripped(managers: Managers, entry: Entry) -> Managers:
    mine = managers.get(entry.identifier)
    if mine is not None:
        managers[entry.identifier] = mine.owning(fieldsets.difference(mine.owned, _STRIPPED))
        if not managers[entry.identifier].owned:
            del managers[entry.identifier]
    return managers


def _time(live: Document | None, entry: Entry) -> str | None:
    known = entries.read((live or {}).get("metadata", {}).get("managedFields") or ()).get(entry.identifier)
    return known.time if known is not None else None


def _as_read(scope: Scope, document: Document) -> Document:
    """Returns an object as the real server has it once it has read it: with an annotation that it keeps as a number."""
    annotations = document["metadata"].get("annotations") or {}
    if scope.table != "DaemonSet.apps" or _TEMPLATE_GENERATION in annotations:
        return document
    return {**document, "metadata": {**document["metadata"], "annotations": {**annotations, _TEMPLATE_GENERATION: "0"}}}


def _unmanaged(document: Document) -> Document:
    metadata = document.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return document
    return {**document, "metadata": {name: each for name, each in metadata.items() if name != "managedFields"}}


def _put(document: Document, managers: Managers) -> None:
    if managers:
        document["metadata"]["managedFields"] = entries.write(managers)
    else:
        document["metadata"].pop("managedFields", None)
