from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import NotFoundError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import Reference
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.lifecycle.dependents import Dependents, Place, references_of

_FOREGROUND, _ORPHAN = "foregroundDeletion", "orphan"


class GarbageCollector:
    """The garbage-collector-controller: deletes what has lost all its owners.

    An owner that is deleted in the foreground stays until its blocking dependents are gone; one whose dependents are
    to be orphaned goes when none of them names it any more.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._dependents = Dependents()
        self._queue = context.queue(self._collect)
        self._store.subscribe_all(self)
        for table in self._store.group_kinds():
            for resource in self._store.list(table):
                self._dependents.add(resource)  # of a snapshot's objects nobody knows whether their owners are in it
                if resource.deleted is not None:
                    self._look_at(resource)

    # what the store tells

    def added(self, new: Resource) -> None:
        """Takes in an object; one whose owner is not there, or waits for the last of its dependents, is looked at."""
        references = references_of(new)
        if references:
            self._dependents.add(new)
            owners = [self._owner(reference, new) for reference in references]
            if any(owner is None or _waits(owner) for owner in owners):
                self._look_at(new)
        if new.deleted is not None:
            self._look_at(new)

    def modified(self, old: Resource, new: Resource) -> None:
        """Takes in new owners, and that an object is on its way out."""
        if old.manifest is new.manifest and old.deleted is new.deleted:
            return
        before, after = references_of(old), references_of(new)
        if before is not after and before != after:
            self._dependents.drop(old)
            self._dependents.add(new)
            self._wake_owners(old)
            self._look_at(new)
        if new.deleted is not None and (_FOREGROUND in _keepers(new) or _ORPHAN in _keepers(new)):
            self._look_at(new)
            self._wake_dependents(new)

    def deleted(self, old: Resource) -> None:
        """Looks at those who have lost an owner, and at owners who have waited for this."""
        if references_of(old):
            self._dependents.drop(old)
            self._wake_owners(old)
        self._wake_dependents(old)

    def _wake_dependents(self, owner: Resource) -> None:
        for place in self._dependents.of(owner.uid):
            self._ask(place)

    def _wake_owners(self, dependent: Resource) -> None:
        for reference in references_of(dependent):
            owner = self._owner(reference, dependent)
            if owner is not None and owner.deleted is not None:
                self._look_at(owner)

    def _look_at(self, resource: Resource) -> None:
        self._ask(Place(resource.group_kind, resource.namespace, resource.name))

    def _ask(self, place: Place) -> None:
        self._queue.add((place.table, f"{place.namespace}/{place.name}"))

    # work

    def _collect(self, key: Key) -> None:
        found = self._store.find(key[0], *key[1].split("/", 1))
        if found is None:
            return
        try:
            self._attend(found)
        except NotFoundError:
            return

    def _attend(self, resource: Resource) -> None:
        keepers = _keepers(resource)
        if resource.deleted is not None:
            if _ORPHAN in keepers:
                self._orphan_dependents(resource)
            elif _FOREGROUND in keepers:
                self._finish_foreground(resource)
            return
        references = references_of(resource)
        if references:
            self._judge(resource, references)

    def _judge(self, resource: Resource, references: list[Reference]) -> None:
        """Deletes an object without a living owner; takes dead owners off one that has others."""
        owners = [(reference, self._owner(reference, resource)) for reference in references]
        if any(owner is None and not self._knows(reference) for reference, owner in owners):
            return  # of a kind that is not served: nobody can tell
        gone = {reference["uid"] for reference, owner in owners if owner is None}
        waiting = {reference["uid"] for reference, owner in owners if owner is not None and _waits(owner)}
        if len(gone | waiting) < len({reference["uid"] for reference in references}):
            if gone or waiting:
                self._drop_references(resource, gone | waiting)
        elif waiting and any(self._dependents.of(resource.uid)):
            self._context.client.delete(self._unblock(resource), policy="Foreground")
        else:
            policy = "Orphan" if _ORPHAN in _keepers(resource) else "Background"
            self._context.client.delete(resource, policy=policy)

    def _unblock(self, resource: Resource) -> Resource:
        """Lets an object whose own dependents wait for theirs keep nobody back, lest they wait in a circle."""
        dependents = (self._store.find(*place) for place in self._dependents.of(resource.uid))
        if not any(dependent is not None and _waits(dependent) for dependent in dependents):
            return resource
        freed = [{**reference, "blockOwnerDeletion": False} for reference in references_of(resource)]
        return self._change(resource, ownerReferences=freed)

    def _finish_foreground(self, owner: Resource) -> None:
        blocking = list(self._dependents.of(owner.uid, blocking=True))
        if not blocking:
            self._drop_finalizer(owner, _FOREGROUND)

    def _orphan_dependents(self, owner: Resource) -> None:
        for place in self._dependents.of(owner.uid):
            dependent = self._store.find(*place)
            if dependent is not None:
                self._drop_references(dependent, {owner.uid})
        self._drop_finalizer(owner, _ORPHAN)

    # owners

    def _owner(self, reference: Reference, dependent: Resource) -> Resource | None:
        """Returns the object that a reference means, if it is there."""
        group = str(reference.get("apiVersion") or "").rpartition("/")[0]
        table = f"{reference.get('kind')}.{group}" if group else str(reference.get("kind"))
        for namespace in (dependent.namespace, ""):
            found = self._store.find(table, namespace, str(reference.get("name")))
            if found is not None and found.uid == reference.get("uid"):
                return found
        return None

    def _knows(self, reference: Reference) -> bool:
        return self._context.serves(str(reference.get("apiVersion")), str(reference.get("kind")))

    # writing

    def _drop_references(self, resource: Resource, uids: Collection[str]) -> None:
        kept = [reference for reference in references_of(resource) if reference.get("uid") not in uids]
        self._change(resource, ownerReferences=kept)

    def _drop_finalizer(self, resource: Resource, finalizer: str) -> None:
        self._change(resource, finalizers=[name for name in _keepers(resource) if name != finalizer])

    def _change(self, resource: Resource, **metadata: list[Any]) -> Resource:
        document = resource.render()
        document["metadata"] = {**document["metadata"], **metadata}
        for field, value in metadata.items():
            if not value:
                del document["metadata"][field]
        return self._context.client.update(resource, document)


def _keepers(resource: Resource) -> list[str]:
    finalizers: list[str] = (resource.manifest.get("metadata") or {}).get("finalizers") or []
    return finalizers


def _waits(resource: Resource) -> bool:
    return resource.deleted is not None and _FOREGROUND in _keepers(resource)
