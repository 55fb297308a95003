"""The limit on the number of managers of an object."""

from __future__ import annotations

from wavetank.apiserver.managedfields.entries import UPDATE, Entry, Managers
from wavetank.apiserver.structured.fieldsets import FieldSet, union_of

_MOST_UPDATERS = 10
_ANCIENT = "ancient-changes"


def capped(managers: Managers) -> Managers:
    """Returns entries of which at most ten are updates: the oldest are merged, version by version."""
    updaters = [identifier for identifier, entry in managers.items() if not entry.applied]
    surplus = len(updaters) - _MOST_UPDATERS
    if surplus <= 0:
        return managers
    updaters.sort(key=lambda identifier: (managers[identifier].time or "", identifier))
    merging = _Merging(managers)
    for identifier in updaters:
        if surplus <= 0:
            break
        surplus -= merging.merge(identifier)
    return merging.merged()


class _Merging:
    """Moves entries into those of ancient changes: one for each version, which begins with its oldest entry."""

    def __init__(self, managers: Managers) -> None:
        self._managers = dict(managers)
        self._first: dict[str, str] = {}  # the oldest entry of each version
        self._sets: dict[str, list[FieldSet]] = {}  # what the entries of ancient changes have got

    def merge(self, identifier: str) -> bool:
        """Moves an entry, unless it is the oldest one of its version; returns whether it did."""
        managers, entry = self._managers, self._managers[identifier]
        if entry.api_version not in self._first:
            self._first[entry.api_version] = identifier
            return False
        ancient = Entry(_ANCIENT, UPDATE, entry.api_version, time=entry.time)
        bucket = ancient.identifier
        if bucket not in self._sets:
            known = managers.get(bucket) or managers.pop(self._first[entry.api_version])
            self._sets[bucket] = [known.fields]
        self._sets[bucket].append(entry.fields)
        managers[bucket] = ancient
        del managers[identifier]  # as in the real server, even if that is the entry of ancient changes itself
        if identifier == bucket:
            del self._sets[bucket]
        return True

    def merged(self) -> Managers:
        """Returns what has become of all entries."""
        owned = {bucket: self._managers[bucket].owning(union_of(sets)) for bucket, sets in self._sets.items()}
        return {**self._managers, **owned}
