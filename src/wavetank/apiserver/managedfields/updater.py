"""How ownership moves when an object is updated or applied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.managedfields.entries import Entry, Managers
from wavetank.apiserver.managedfields.typed import Convert, Typed
from wavetank.apiserver.structured import fieldsets
from wavetank.apiserver.structured.comparing import Comparison, compare, same
from wavetank.apiserver.structured.fieldsets import FieldSet, Path, difference, intersection, union, without
from wavetank.apiserver.structured.merging import merge
from wavetank.apiserver.structured.reconciling import reconcile
from wavetank.apiserver.structured.removing import remove, with_named_fields
from wavetank.apiserver.structured.stating import stated


class ConflictsError(Exception):
    """A client applies other values to fields of other managers."""

    def __init__(self, conflicts: list[tuple[Entry, Path]]) -> None:
        super().__init__(f"{len(conflicts)} conflicts")
        self.conflicts = conflicts


@dataclass(frozen=True, slots=True)
class Updater:
    """Follows the fields of one kind of object as one path writes it.

    `reset` tells the fields that the path resets. `settled`: the types of the kind never change.
    """

    convert: Convert
    reset: Callable[[str], FieldSet]
    settled: bool = False

    def update(self, live: Typed, new: Typed, managers: Managers) -> tuple[FieldSet, Managers]:
        """Returns the fields that a write changes, and what it leaves to the managers that there were."""
        compared, managers = self._move(live, new, self._reconciled(live, managers), "", force=True)
        return compared.changed, managers

    def apply(
        self, live: Typed, applied: Typed, managers: Managers, applier: Entry, *, force: bool
    ) -> tuple[dict[str, Any] | None, Managers]:
        """Returns the merged document, or None if it is as before, and the managers; a ConflictsError unless forced."""
        managers = self._reconciled(live, managers)
        merged = live._replace(document=merge(live.kind, live.document, applied.document))
        last = managers.get(applier.identifier)
        mine = without(stated(applied.kind, applied.document), self.reset(applied.api_version))
        managers = {**managers, applier.identifier: applier.owning(mine)}
        merged = self._pruned(merged, managers, applier, last)
        managers = self._move(live, merged, managers, applier.identifier, force=force)[1]
        unchanged = same(live.document, merged.document)
        return None if unchanged else merged.document, managers

    def _reconciled(self, live: Typed, managers: Managers) -> Managers:
        """Returns the managers with fields that fit the types as they are now; a version served no more is left out."""
        found = {}
        for identifier, entry in managers.items():
            if self.settled and entry.written is not None and entry.api_version == live.api_version:
                found[identifier] = entry
            elif (version := self.convert(live, entry.api_version)) is not None:
                found[identifier] = entry.owning(reconcile(version.kind, entry.fields))
        return found

    def _move(self, old: Typed, new: Typed, managers: Managers, me: str, *, force: bool) -> tuple[Comparison, Managers]:
        """Takes what has changed from all managers but one, and what is gone; conflicts if that must not be."""
        own = self._compared(old, new)
        if not managers:
            return own, {}
        versions: dict[str, Comparison | None] = {old.api_version: own}
        kept: Managers = {}
        conflicts: list[tuple[Entry, Path]] = []
        for identifier, entry in managers.items():
            if identifier == me:
                if entry.fields:
                    kept[identifier] = entry
                continue
            if entry.api_version not in versions:
                versions[entry.api_version] = self._compared_as(old, new, entry.api_version)
            compared = versions[entry.api_version]
            if compared is None:
                continue
            if not force:
                lost = intersection(entry.fields, compared.changed)
                conflicts += ((entry, path) for path in fieldsets.paths(lost))
            rest = difference(difference(entry.fields, compared.changed), compared.removed)
            if rest:
                kept[identifier] = entry.owning(rest)
        if conflicts:
            raise ConflictsError(conflicts)
        return own, kept

    def _compared_as(self, old: Typed, new: Typed, version: str) -> Comparison | None:
        before, after = self.convert(old, version), self.convert(new, version)
        return self._compared(before, after) if before is not None and after is not None else None

    def _compared(self, old: Typed, new: Typed) -> Comparison:
        found = compare(old.kind, old.document, new.document)
        if reset := self.reset(old.api_version):
            parts = (found.removed, found.modified, found.added)
            return Comparison(*(without(fields, reset) for fields in parts))
        return found

    # what is no longer applied

    def _pruned(self, merged: Typed, managers: Managers, applier: Entry, last: Entry | None) -> Typed:
        """Removes the fields that this manager applied last time and not now, unless another manager owns them too."""
        if last is None or not last.fields:
            return merged
        whole = self.convert(merged, last.api_version)
        if whole is None:
            return merged
        cut = _cut(whole, with_named_fields(whole.kind, last.fields))
        cut = self._with_owned(whole, cut, managers)
        at_last = self.convert(cut, last.api_version)
        cut = _with_dangling(whole, at_last, last) if at_last is not None else whole
        back = self.convert(cut, applier.api_version)
        return back if back is not None else merged

    def _with_owned(self, whole: Typed, cut: Typed, managers: Managers) -> Typed:
        """Adds back what any manager owns, first in the version of what was cut."""
        owned: dict[str, FieldSet] = {}
        for entry in sorted(managers.values(), key=lambda each: each.api_version != whole.api_version):
            owned[entry.api_version] = union(owned.get(entry.api_version, fieldsets.EMPTY), entry.fields)
        for version, fields in owned.items():
            one, other = self.convert(whole, version), self.convert(cut, version)
            if one is not None and other is not None:
                whole, cut = one, _with_fields(one, other, fields)
        return cut


def _cut(value: Typed, fields: FieldSet) -> Typed:
    return value._replace(document=remove(value.kind, value.document, fields) or {})


def _with_fields(whole: Typed, cut: Typed, fields: FieldSet) -> Typed:
    kept = union(_named(cut), with_named_fields(whole.kind, fields))
    return _cut(whole, difference(_named(whole), kept))


def _with_dangling(whole: Typed, cut: Typed, last: Entry) -> Typed:
    """Adds back what this applier did not own, though it stood below something that it did."""
    gone = difference(_named(whole), _named(cut))
    return _cut(whole, intersection(gone, with_named_fields(whole.kind, last.fields)))


def _named(value: Typed) -> FieldSet:
    return with_named_fields(value.kind, stated(value.kind, value.document))
