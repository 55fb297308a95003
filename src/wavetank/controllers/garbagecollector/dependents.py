from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.ownership import Reference


class ObjectKey(NamedTuple):
    """The key of an object of any kind in the store."""

    kind: GroupKind
    namespace: str
    name: str


def references_of(resource: Resource) -> list[Reference]:
    """Returns the owner references of an object."""
    return (resource.manifest.get("metadata") or {}).get("ownerReferences") or []


def key_of(resource: Resource) -> ObjectKey:
    """Returns the key of an object."""
    return ObjectKey(resource.group_kind, resource.namespace, resource.name)


class Dependents:
    """The dependents of each owner, by the owner's uid, and whether they block its deletion."""

    def __init__(self) -> None:
        self._by_owner: defaultdict[str, dict[ObjectKey, bool]] = defaultdict(dict)

    def add(self, resource: Resource) -> None:
        """Adds an object."""
        key = key_of(resource)
        for reference in references_of(resource):
            self._by_owner[str(reference.get("uid"))][key] = bool(reference.get("blockOwnerDeletion"))

    def drop(self, resource: Resource) -> None:
        """Removes an object."""
        key = key_of(resource)
        for reference in references_of(resource):
            uid = str(reference.get("uid"))
            dependents = self._by_owner.get(uid)
            if dependents is not None:
                dependents.pop(key, None)
                if not dependents:
                    del self._by_owner[uid]

    def of(self, uid: str, blocking: bool = False) -> Iterator[ObjectKey]:
        """Yields the dependents of an owner; if `blocking`, only those that block its deletion."""
        for key, blocks in list(self._by_owner.get(uid, {}).items()):
            if blocks or not blocking:
                yield key
