from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wavetank.cluster.objects.groupkinds import group_kind_of
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import NotFoundError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import Reference
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.garbagecollector.dependents import Dependents, ObjectKey, key_of, references_of

_FOREGROUND, _ORPHAN = "foregroundDeletion", "orphan"


class GarbageCollector:
    """The garbage-collector-controller: deletes objects that have lost all their owners.

    An owner that is deleted in the foreground stays until its blocking dependents are deleted; one whose dependents are
    orphaned stays until none of them has a reference to it.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._dependents = Dependents()
        self._ending: set[str] = set()  # uids of objects that are being deleted
        self._queue = context.queue(self._sync)
        self._store.subscribe_all(self)
        for group_kind in self._store.group_kinds():
            for resource in self._store.list(group_kind):
                self._dependents.add(resource)  # owners of a snapshot's objects may not be part of it
                self._note_end(resource)

    # events

    def added(self, new: Resource) -> None:
        """Adds an object; enqueues it if an owner does not exist or is deleted in the foreground."""
        references = references_of(new)
        if references:
            self._dependents.add(new)
            owners = (self._owner(reference, new) for reference in references)
            if any(owner is None or _waits(owner) for owner in owners):
                self._enqueue_object(new)
        self._note_end(new)

    def modified(self, old: Resource, new: Resource) -> None:
        """Follows changes of owner references, and objects that are being deleted."""
        if old.manifest is new.manifest and old.deleted is new.deleted:
            return
        before, after = references_of(old), references_of(new)
        if before is not after and before != after:
            self._dependents.drop(old)
            self._dependents.add(new)
            self._wake_owners(old)
            self._enqueue_object(new)
        if new.deleted is not None:
            self._ending.add(new.uid)
        if new.deleted is not None and (_FOREGROUND in _finalizers(new) or _ORPHAN in _finalizers(new)):
            self._enqueue_object(new)
            self._wake_dependents(new)

    def deleted(self, old: Resource) -> None:
        """Enqueues the dependents of a deleted object, and owners that waited for it."""
        if references_of(old):
            self._dependents.drop(old)
            self._wake_owners(old)
        self._wake_dependents(old)
        self._ending.discard(old.uid)

    def _note_end(self, resource: Resource) -> None:
        if resource.deleted is not None:
            self._ending.add(resource.uid)
            self._enqueue_object(resource)

    def _wake_dependents(self, owner: Resource) -> None:
        for key in self._dependents.of(owner.uid):
            self._enqueue(key)

    def _wake_owners(self, dependent: Resource) -> None:
        for reference in references_of(dependent):
            owner = self._owner(reference, dependent) if reference.get("uid") in self._ending else None
            if owner is not None:
                self._enqueue_object(owner)

    def _enqueue_object(self, resource: Resource) -> None:
        self._enqueue(key_of(resource))

    def _enqueue(self, key: ObjectKey) -> None:
        self._queue.add((key.kind, f"{key.namespace}/{key.name}"))

    # work

    def _sync(self, key: Key) -> None:
        found = self._store.find(key[0], *key[1].split("/", 1))
        if found is None:
            return
        try:
            self._process(found)
        except NotFoundError:
            return

    def _process(self, resource: Resource) -> None:
        finalizers = _finalizers(resource)
        if resource.deleted is not None:
            if _ORPHAN in finalizers:
                self._orphan_dependents(resource)
            elif _FOREGROUND in finalizers:
                self._finish_foreground(resource)
            return
        references = references_of(resource)
        if references:
            self._delete_without_owners(resource, references)

    def _delete_without_owners(self, resource: Resource, references: list[Reference]) -> None:
        """Deletes an object if all its owners are gone; otherwise drops the references to those that are."""
        owners, missing = self._owners(resource, references)
        if not all(self._context.serves(str(api_version), str(kind)) for api_version, kind in missing):
            return  # an owner of a kind that is not served may exist
        uids = {reference["uid"] for reference in references}
        gone = uids - owners.keys()
        waiting = {uid for uid, owner in owners.items() if _waits(owner)}
        if len(gone) + len(waiting) < len(uids):
            if gone or waiting:
                self._drop_references(resource, gone | waiting)
        elif waiting and any(self._dependents.of(resource.uid)):
            self._context.client.delete(self._unblock(resource), policy="Foreground")
        else:
            policy = "Orphan" if _ORPHAN in _finalizers(resource) else "Background"
            self._context.client.delete(resource, policy=policy)

    def _unblock(self, resource: Resource) -> Resource:
        """Removes blockOwnerDeletion from an object whose dependents wait for theirs, to break a cycle."""
        dependents = (self._store.find(*key) for key in self._dependents.of(resource.uid))
        if not any(dependent is not None and _waits(dependent) for dependent in dependents):
            return resource
        freed = [{**reference, "blockOwnerDeletion": False} for reference in references_of(resource)]
        return self._change(resource, ownerReferences=freed)

    def _finish_foreground(self, owner: Resource) -> None:
        blocking = list(self._dependents.of(owner.uid, blocking=True))
        if not blocking:
            self._drop_finalizer(owner, _FOREGROUND)

    def _orphan_dependents(self, owner: Resource) -> None:
        for key in self._dependents.of(owner.uid):
            dependent = self._store.find(*key)
            if dependent is not None:
                self._drop_references(dependent, {owner.uid})
        self._drop_finalizer(owner, _ORPHAN)

    # owners

    def _owners(
        self, dependent: Resource, references: list[Reference]
    ) -> tuple[dict[str, Resource], set[tuple[object, object]]]:
        """Returns the owners that exist, by uid, and the apiVersions and kinds of those that do not."""
        owners, missing = {}, set()
        for reference in references:
            owner = self._owner(reference, dependent)
            if owner is None:
                missing.add((reference.get("apiVersion"), reference.get("kind")))
            else:
                owners[owner.uid] = owner
        return owners, missing

    def _owner(self, reference: Reference, dependent: Resource) -> Resource | None:
        """Returns the object that a reference points to; None if it does not exist."""
        group_kind = group_kind_of(str(reference.get("apiVersion") or ""), str(reference.get("kind")))
        for namespace in (dependent.namespace, ""):
            found = self._store.find(group_kind, namespace, str(reference.get("name")))
            if found is not None and found.uid == reference.get("uid"):
                return found
        return None

    # writing

    def _drop_references(self, resource: Resource, uids: Collection[str]) -> None:
        kept = [reference for reference in references_of(resource) if reference.get("uid") not in uids]
        self._change(resource, ownerReferences=kept)

    def _drop_finalizer(self, resource: Resource, finalizer: str) -> None:
        self._change(resource, finalizers=[name for name in _finalizers(resource) if name != finalizer])

    def _change(self, resource: Resource, **metadata: list[Any]) -> Resource:
        document = resource.render()
        document["metadata"] = {**document["metadata"], **metadata}
        for field, value in metadata.items():
            if not value:
                del document["metadata"][field]
        return self._context.client.update(resource, document)


def _finalizers(resource: Resource) -> list[str]:
    finalizers: list[str] = (resource.manifest.get("metadata") or {}).get("finalizers") or []
    return finalizers


def _waits(resource: Resource) -> bool:
    return resource.deleted is not None and _FOREGROUND in _finalizers(resource)
