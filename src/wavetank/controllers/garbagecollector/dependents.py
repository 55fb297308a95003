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


class Dependents:
    """The dependents of each owner, by the owner's uid, and whether they block its deletion."""

    def __init__(self) -> None:
        self._by_owner: defaultdict[str, dict[ObjectKey, bool]] = defaultdict(dict)

    def add(self, resource: Resource) -> None:
        """Adds an object."""
        for reference in references_of(resource):
            blocks = bool(reference.get("blockOwnerDeletion"))
            self._by_owner[str(reference.get("uid"))][_key(resource)] = blocks

    def drop(self, resource: Resource) -> None:
        """Removes an object."""
        for reference in references_of(resource):
            dependents = self._by_owner.get(str(reference.get("uid")))
            if dependents is not None:
                dependents.pop(_key(resource), None)
                if not dependents:
                    del self._by_owner[str(reference.get("uid"))]

    def of(self, uid: str, blocking: bool = False) -> Iterator[ObjectKey]:
        """Yields the dependents of an owner; if `blocking`, only those that block its deletion."""
        for key, blocks in list(self._by_owner.get(uid, {}).items()):
            if blocks or not blocking:
                yield key


def _key(resource: Resource) -> ObjectKey:
    return ObjectKey(resource.group_kind, resource.namespace, resource.name)
