from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.batchoperator.client.client import Action, Change, Handler, is_wanted
from wavetank.batchoperator.client.objects import KubeObject, from_resource
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import NotFoundError
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework import client as controllers


class StoreClient:
    """A client of a cluster in the same process: it reads from the store and writes with the client of controllers.

    In a run the writer is the one that writes to the store directly; in a served cluster it may be one that goes
    through the API, with admission and validation.
    """

    def __init__(self, store: Store, writer: controllers.Client) -> None:
        self._store = store
        self._writer = writer
        self._seen: dict[str, KubeObject] = {}  # the last versions that were asked for, by uid
        self._topics: dict[GroupKind, _Topic] = {}
        self._objects: dict[GroupKind, Mapping[tuple[str, str], Resource]] = {}  # present objects, by kind

    def _view(self, resource: Resource, kind: GroupKind) -> KubeObject:
        """Returns a version of an object; most are asked for several times."""
        seen = self._seen.get(resource.uid)
        return seen if seen is not None and seen.source is resource else _renew(self._seen, resource, kind)

    def get(self, kind: GroupKind, namespace: str, name: str) -> KubeObject | None:
        """Returns an object as it is now."""
        objects = self._objects.get(kind)
        if objects is None:
            objects = self._objects[kind] = self._store.objects(kind)
        found = objects.get((namespace, name))
        if found is None:
            return None
        seen = self._seen.get(found.uid)
        return seen if seen is not None and seen.source is found else self._view(found, kind)

    def list(
        self, kind: GroupKind, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> list[KubeObject]:
        """Returns the objects of a kind as they are now."""
        wanted = (labels or {}).items()
        return [
            self._view(each, kind)
            for each in self._store.list(kind)
            if namespace in (None, each.namespace) and wanted <= each.labels.items()
        ]

    def subscribe(self, kind: GroupKind, handler: Handler, label: str | None = None, value: str | None = None) -> None:
        """Calls `handler` with each object of a kind, and with every change from now on."""
        for each in self._store.list(kind):
            if is_wanted(each.labels, label, value):
                handler(Change("ADDED", self._view(each, kind)))
        if kind not in self._topics:
            topic = self._topics[kind] = _Topic(self._seen, kind)
            self._store.subscribe(kind, added=topic.added, modified=topic.modified, deleted=topic.deleted)
        self._topics[kind].add(handler, label, value)

    def create(self, document: Mapping[str, Any]) -> KubeObject:
        """Creates an object; passing the same document of a pod again is cheap."""
        made = self._writer.create(document)
        return self._view(made, made.group_kind)

    def update(self, old: KubeObject, spec: Mapping[str, Any]) -> KubeObject:
        """Replaces the spec of an object."""
        resource = _source(old)
        return self._view(self._writer.update(resource, {**resource.manifest, "spec": dict(spec)}), old.group_kind)

    def update_status(self, old: KubeObject, status: Mapping[str, Any]) -> KubeObject:
        """Replaces the status of an object."""
        status = status if isinstance(status, dict) else dict(status)
        return self._view(self._writer.update_status(_source(old), status), old.group_kind)

    def patch_labels(
        self,
        old: KubeObject,
        labels: Mapping[str, str | None],
        annotations: Mapping[str, str | None] | None = None,
    ) -> KubeObject:
        """Sets and removes labels and annotations of an object."""
        resource = _source(old)
        metadata = {**resource.manifest.get("metadata", {}), "labels": _merged(old.labels, labels)}
        if annotations:
            metadata["annotations"] = _merged(old.annotations, annotations)
        return self._view(self._writer.update(resource, {**resource.manifest, "metadata": metadata}), old.group_kind)

    def delete(self, old: KubeObject, grace_s: int | None = None) -> None:
        """Deletes an object, a pod with its grace period."""
        present = self._store.find(old.group_kind, old.namespace, old.name)
        if present is None or present.uid != old.uid:
            return
        try:
            self._writer.delete(present, grace_s)
        except NotFoundError:  # a finished pod that was removed meanwhile
            return


class _Topic:
    """Calls the handlers of one kind; a change is described once for all of them, and only if any wants it."""

    def __init__(self, seen: dict[str, KubeObject], kind: GroupKind) -> None:
        self._seen = seen
        self._kind = kind
        self._subscribed: list[tuple[Handler, str | None, str | None]] = []  # with the labels and values they ask for
        self._handlers: list[Handler] | None = []  # None: some ask for a label
        self._chosen: dict[str, tuple[Mapping[str, str], list[Handler]]] = {}  # by uid: for an object with these labels

    def add(self, handler: Handler, label: str | None, value: str | None) -> None:
        """Calls a handler from now on."""
        self._subscribed.append((handler, label, value))
        everything = all(label is None for _, label, _ in self._subscribed)
        self._handlers = [handler for handler, _, _ in self._subscribed] if everything else None
        self._chosen.clear()

    def added(self, new: Resource) -> None:
        self._tell("ADDED", new)

    def modified(self, _: Resource, new: Resource) -> None:
        self._tell("MODIFIED", new)

    def deleted(self, old: Resource) -> None:
        self._tell("DELETED", old)
        if (seen := self._seen.pop(old.uid, None)) is not None:
            seen.view = None
        self._chosen.pop(old.uid, None)

    def _tell(self, action: Action, resource: Resource) -> None:
        handlers = self._handlers
        if handlers is None:
            known = self._chosen.get(resource.uid)
            handlers = known[1] if known is not None and known[0] is resource.labels else self._choose(resource)
        if handlers:
            seen = self._seen.get(resource.uid)
            if seen is None or seen.source is not resource:
                seen = _renew(self._seen, resource, self._kind)
            change = Change(action, seen)
            for handler in handlers:
                handler(change)

    def _choose(self, resource: Resource) -> list[Handler]:
        """Returns the handlers that want an object with these labels."""
        labels = resource.labels
        chosen = [handler for handler, label, value in self._subscribed if is_wanted(labels, label, value)]
        self._chosen[resource.uid] = (labels, chosen)
        return chosen


def _renew(seen: dict[str, KubeObject], resource: Resource, kind: GroupKind) -> KubeObject:
    """Keeps a new version of an object.

    The last one loses its typed view: the two refer to each other, so that only the garbage collector could free them.
    """
    last = seen.get(resource.uid)
    if last is not None:
        last.view = None
    found = seen[resource.uid] = from_resource(resource, kind)
    return found


def _source(old: KubeObject) -> Resource:
    assert old.source is not None, "an object of another client"
    return old.source


def _merged(old: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    merged = {**old, **changes}
    if None not in changes.values():
        return merged  # type: ignore[return-value]  # no value is None
    return {key: value for key, value in merged.items() if value is not None}
