from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.groupkinds import NAMESPACE
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key


class PerNamespaceObject:
    """Keeps one object of one core kind in every namespace that is not being deleted."""

    kind: str
    name: str

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._store.subscribe(NAMESPACE, added=lambda new: self._enqueue(new.name))
        self._store.subscribe(self.kind, modified=lambda old, new: self._changed(new), deleted=self._changed)
        for namespace in self._store.list(NAMESPACE):
            self._enqueue(namespace.name)

    def document(self) -> dict[str, Any]:
        """Returns the object without its name and namespace."""
        return {"apiVersion": "v1", "kind": self.kind}

    def _enqueue(self, namespace: str) -> None:
        self._queue.add(("", namespace))

    def _changed(self, resource: Resource) -> None:
        if resource.name == self.name:
            self._enqueue(resource.namespace)

    def _sync(self, key: Key) -> None:
        namespace = self._store.find(NAMESPACE, *key)
        if namespace is None or namespace.deleted is not None:
            return
        present = self._store.find(self.kind, namespace.name, self.name)
        if present is not None:
            self._reconcile(present)
            return
        document = self.document()
        document["metadata"] = {"name": self.name, "namespace": namespace.name, **document.get("metadata", {})}
        try:
            self._context.client.create(document)
        except ApiError as error:
            if error.code != AlreadyExistsError.code:
                raise

    def _reconcile(self, present: Resource) -> None:
        """Undoes changes of the object; by default it may be changed."""
