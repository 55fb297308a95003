from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.ownership import Reference


class Place(NamedTuple):
    """Where an object stands in the store."""

    table: str
    namespace: str
    name: str


def references_of(resource: Resource) -> list[Reference]:
    """Returns the owner references of an object."""
    return (resource.manifest.get("metadata") or {}).get("ownerReferences") or []


class Dependents:
    """Which objects name an owner, by the owner's uid, and whether they keep him from going first."""

    def __init__(self) -> None:
        self._by_owner: defaultdict[str, dict[Place, bool]] = defaultdict(dict)

    def add(self, resource: Resource) -> None:
        """Takes in an object."""
        for reference in references_of(resource):
            blocks = bool(reference.get("blockOwnerDeletion"))
            self._by_owner[str(reference.get("uid"))][_place(resource)] = blocks

    def drop(self, resource: Resource) -> None:
        """Forgets an object."""
        for reference in references_of(resource):
            dependents = self._by_owner.get(str(reference.get("uid")))
            if dependents is not None:
                dependents.pop(_place(resource), None)
                if not dependents:
                    del self._by_owner[str(reference.get("uid"))]

    def of(self, uid: str, blocking: bool = False) -> Iterator[Place]:
        """Yields the dependents of an owner; only those that keep him from going, if `blocking`."""
        for place, blocks in list(self._by_owner.get(uid, {}).items()):
            if blocks or not blocking:
                yield place


def _place(resource: Resource) -> Place:
    return Place(resource.group_kind, resource.namespace, resource.name)
