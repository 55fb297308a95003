from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from wavetank.batchoperator.client.client import Action, Change, Handler, is_wanted
from wavetank.batchoperator.client.objects import KubeObject, from_document
from wavetank.batchoperator.client.remote.connection import MERGE_PATCH, Connection
from wavetank.batchoperator.client.remote.informer import SYNC, Informer
from wavetank.batchoperator.client.remote.paths import KINDS
from wavetank.cluster.objects.groupkinds import GroupKind, group_kind_of
from wavetank.cluster.store.errors import ConflictError, NotFoundError

Key = tuple[str, str]

_PATIENCE_S = 2.0  # for a watch that ends


class RemoteClient:
    """A client of an API server over HTTP.

    Kinds with subscriptions are watched, and read from memory; what this client has written is there at once. Other
    kinds are read from the server. Changes wait until `deliver` is called, which calls the handlers. Hold `lock` while
    handlers run and during every other use of the client, if there is more than one thread.
    """

    def __init__(self, connection: Connection) -> None:
        self.lock = threading.RLock()
        self._connection = connection
        self._reports: queue.SimpleQueue[tuple[GroupKind, str, Any]] = queue.SimpleQueue()
        self._waiting: list[tuple[GroupKind, str, Any]] = []
        self._objects: dict[GroupKind, dict[Key, KubeObject]] = {}
        self._handlers: dict[GroupKind, list[tuple[Handler, str | None, str | None]]] = {}
        self._synced: set[GroupKind] = set()
        self._informers: list[Informer] = []

    # reading

    def get(self, kind: GroupKind, namespace: str, name: str) -> KubeObject | None:
        """Returns an object, as it was last seen if its kind is watched."""
        if kind in self._synced:
            return self._objects[kind].get((namespace, name))
        try:
            return from_document(self._connection.request("GET", _path(kind, namespace, name)), kind)
        except NotFoundError:
            return None

    def list(
        self, kind: GroupKind, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> list[KubeObject]:
        """Returns the objects of a kind, as they were last seen if it is watched."""
        wanted = (labels or {}).items()
        return [
            each for each in self._all(kind) if namespace in (None, each.namespace) and wanted <= each.labels.items()
        ]

    def _all(self, kind: GroupKind) -> Iterable[KubeObject]:
        if kind in self._synced:
            return list(self._objects[kind].values())
        found = self._connection.request("GET", KINDS[kind].collection())
        return [from_document(item, kind) for item in found.get("items") or ()]

    def subscribe(self, kind: GroupKind, handler: Handler, label: str | None = None, value: str | None = None) -> None:
        """Watches a kind; `handler` is called by `deliver`."""
        if kind not in self._handlers:
            self._handlers[kind] = []
            self._objects[kind] = {}
            informer = Informer(
                self._connection, KINDS[kind].collection(), lambda type_, found: self._reports.put((kind, type_, found))
            )
            self._informers.append(informer)
            informer.start()
        self._handlers[kind].append((handler, label, value))
        for known in list(self._objects[kind].values()):
            if is_wanted(known.labels, label, value):
                handler(Change("ADDED", known))

    # changes

    @property
    def synced(self) -> bool:
        """Tells whether all watched kinds have been listed."""
        return len(self._synced) == len(self._handlers)

    def wait(self, timeout_s: float | None) -> None:
        """Waits for a change, for this long at most."""
        try:
            self._waiting.append(self._reports.get(timeout=timeout_s))
        except queue.Empty:
            return

    def deliver(self) -> None:
        """Calls the handlers with all changes that have arrived."""
        while self._waiting or not self._reports.empty():
            kind, type_, found = self._waiting.pop(0) if self._waiting else self._reports.get()
            if type_ == SYNC:
                self._replace(kind, [from_document(item, kind) for item in found])
            else:
                self._apply(kind, type_, from_document(found, kind))

    def _replace(self, kind: GroupKind, found: Iterable[KubeObject]) -> None:
        """Takes over a list: what is not in it is gone."""
        listed = {each.key: each for each in found}
        self._synced.add(kind)
        for gone in [each for key, each in self._objects[kind].items() if key not in listed]:
            self._apply(kind, "DELETED", gone)
        for each in listed.values():
            self._apply(kind, "MODIFIED" if each.key in self._objects[kind] else "ADDED", each)

    def _apply(self, kind: GroupKind, action: Action | str, new: KubeObject) -> None:
        objects = self._objects[kind]
        old = objects.get(new.key)
        if action == "DELETED":
            if old is not None and old.uid == new.uid:
                del objects[new.key]
        elif old is None or old.uid != new.uid or _is_newer(new, old):
            objects[new.key] = new
        actions: dict[str, Action] = {"DELETED": "DELETED", "ADDED": "ADDED"}
        change = Change(actions.get(action, "MODIFIED"), new)
        for handler, label, value in self._handlers[kind]:
            if is_wanted(new.labels, label, value):
                handler(change)

    # writing

    def create(self, document: Mapping[str, Any]) -> KubeObject:
        """Creates an object."""
        kind = _group_kind(document)
        namespace = (document.get("metadata") or {}).get("namespace") or "default"
        return self._seen(kind, self._connection.request("POST", KINDS[kind].collection(namespace), document))

    def update(self, old: KubeObject, spec: Mapping[str, Any]) -> KubeObject:
        """Replaces the spec of an object."""
        return self._put(old, {"spec": spec})

    def update_status(self, old: KubeObject, status: Mapping[str, Any]) -> KubeObject:
        """Replaces the status of an object, through its subresource."""
        return self._put(old, {"status": status}, "/status")

    def _put(self, old: KubeObject, part: Mapping[str, Any], subresource: str = "") -> KubeObject:
        path = _path(old.group_kind, old.namespace, old.name) + subresource
        document = {**_typed(old), **old.manifest, **part}
        return self._seen(old.group_kind, self._connection.request("PUT", path, document))

    def patch_labels(
        self,
        old: KubeObject,
        labels: Mapping[str, str | None],
        annotations: Mapping[str, str | None] | None = None,
    ) -> KubeObject:
        """Sets and removes labels and annotations; ConflictError if the object has changed."""
        metadata: dict[str, Any] = {"resourceVersion": old.version, "uid": old.uid, "labels": dict(labels)}
        if annotations:
            metadata["annotations"] = dict(annotations)
        path = _path(old.group_kind, old.namespace, old.name)
        answer = self._connection.request("PATCH", path, {"metadata": metadata}, MERGE_PATCH)
        return self._seen(old.group_kind, answer)

    def delete(self, old: KubeObject, grace_s: int | None = None) -> None:
        """Deletes an object, with what it owns."""
        options: dict[str, Any] = {"preconditions": {"uid": old.uid}, "propagationPolicy": "Background"}
        if grace_s is not None:
            options["gracePeriodSeconds"] = grace_s
        try:
            self._connection.request("DELETE", _path(old.group_kind, old.namespace, old.name), options)
        except (NotFoundError, ConflictError):  # gone, or another of the same name
            return

    def _seen(self, kind: GroupKind, document: Mapping[str, Any]) -> KubeObject:
        """Remembers what the server has answered to a write, so that it is read before it is watched."""
        new = from_document(document, kind)
        if kind in self._synced:
            self._objects[kind][new.key] = new
        return new

    def close(self) -> None:
        """Ends all watches."""
        for informer in self._informers:
            informer.stop()
        self._connection.end_watches()
        for informer in self._informers:
            informer.join(_PATIENCE_S)
        self._connection.close()


def _path(kind: GroupKind, namespace: str, name: str) -> str:
    return f"{KINDS[kind].collection(namespace)}/{name}"


def _typed(old: KubeObject) -> dict[str, str]:
    """Returns what lists leave out of their items."""
    return {"apiVersion": KINDS[old.group_kind].api_version, "kind": old.group_kind.partition(".")[0]}


def _group_kind(document: Mapping[str, Any]) -> GroupKind:
    return group_kind_of(str(document["apiVersion"]), str(document["kind"]))


def _is_newer(new: KubeObject, old: KubeObject) -> bool:
    """Tells whether a version is a later one; a watch may still report what was before our own writes."""
    if new.version.isdecimal() and old.version.isdecimal():
        return int(new.version) > int(old.version)
    return True
