"""The limit on the number of managers of an object."""

from __future__ import annotations

from wavetank.apiserver.managedfields.entries import UPDATE, Entry, Managers
from wavetank.apiserver.structured.fieldsets import union

_MOST_UPDATERS = 10
_ANCIENT = "ancient-changes"


def capped(managers: Managers) -> Managers:
    """Returns entries of which at most ten are updates: the oldest are merged, version by version."""
    updaters = [identifier for identifier, entry in managers.items() if not entry.applied]
    surplus = len(updaters) - _MOST_UPDATERS
    if surplus <= 0:
        return managers
    updaters.sort(key=lambda identifier: (managers[identifier].time or "", identifier))
    made, first = dict(managers), dict[str, str]()
    for identifier in updaters:
        if surplus <= 0:
            break
        entry = managers[identifier]
        if entry.api_version in first:
            _merge(made, first[entry.api_version], entry)
            surplus -= 1
        else:
            first[entry.api_version] = identifier
    return made


def _merge(managers: Managers, oldest: str, entry: Entry) -> None:
    """Moves an entry into that of ancient changes, which begins with the oldest one of its version."""
    ancient = Entry(_ANCIENT, UPDATE, entry.api_version, time=entry.time)
    known = managers.get(ancient.identifier) or managers.pop(oldest)  # the larger set, which a union copies as a whole
    managers[ancient.identifier] = ancient.owning(union(known.fields, entry.fields))
    del managers[entry.identifier]  # as in the real server, even if that is the entry of ancient changes itself
