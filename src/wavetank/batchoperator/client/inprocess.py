from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.batchoperator.client.client import Change, Handler
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

    def get(self, kind: GroupKind, namespace: str, name: str) -> KubeObject | None:
        """Returns an object as it is now."""
        found = self._store.find(kind, namespace, name)
        return None if found is None else from_resource(found)

    def list(
        self, kind: GroupKind, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> list[KubeObject]:
        """Returns the objects of a kind as they are now."""
        wanted = (labels or {}).items()
        return [
            from_resource(each)
            for each in self._store.list(kind)
            if namespace in (None, each.namespace) and wanted <= each.labels.items()
        ]

    def subscribe(self, kind: GroupKind, handler: Handler, label: str | None = None) -> None:
        """Calls `handler` with each object of a kind, and with every change from now on."""

        def added(new: Resource) -> None:
            if label is None or label in new.labels:
                handler(Change("ADDED", from_resource(new)))

        def modified(_: Resource, new: Resource) -> None:
            if label is None or label in new.labels:
                handler(Change("MODIFIED", from_resource(new)))

        def deleted(old: Resource) -> None:
            if label is None or label in old.labels:
                handler(Change("DELETED", from_resource(old)))

        for each in self._store.list(kind):
            added(each)
        self._store.subscribe(kind, added=added, modified=modified, deleted=deleted)

    def create(self, document: Mapping[str, Any]) -> KubeObject:
        """Creates an object; passing the same document of a pod again is cheap."""
        return from_resource(self._writer.create(document))

    def update(self, old: KubeObject, spec: Mapping[str, Any]) -> KubeObject:
        """Replaces the spec of an object."""
        resource = _source(old)
        return from_resource(self._writer.update(resource, {**resource.manifest, "spec": dict(spec)}))

    def update_status(self, old: KubeObject, status: Mapping[str, Any]) -> KubeObject:
        """Replaces the status of an object."""
        return from_resource(self._writer.update_status(_source(old), dict(status)))

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
        return from_resource(self._writer.update(resource, {**resource.manifest, "metadata": metadata}))

    def delete(self, old: KubeObject, grace_s: int | None = None) -> None:
        """Deletes an object, a pod with its grace period."""
        present = self._store.find(old.group_kind, old.namespace, old.name)
        if present is None or present.uid != old.uid:
            return
        try:
            self._writer.delete(present, grace_s)
        except NotFoundError:  # a finished pod that was removed meanwhile
            return


def _source(old: KubeObject) -> Resource:
    assert old.source is not None, "an object of another client"
    return old.source


def _merged(old: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    merged = {**old, **changes}
    return {key: value for key, value in merged.items() if value is not None}
