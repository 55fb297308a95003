from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import DEPLOYMENT
from wavetank.cluster.objects.kinds import ClusterResource, ReplicaSet, parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.client import Document
from wavetank.kernel.durations import Nanoseconds

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # of generated names, as Kubernetes has it
_LONGEST_PREFIX = 58  # of a generated name, before its five random characters
_MOULDS = 1024  # documents of pods that are remembered: one for each owner that makes pods at a time
# Kinds of which nothing is known but the document.
_PLAIN = (Resource, ClusterResource, ReplicaSet)
# What the garbage collector is asked to do before an object goes.
_KEEPERS = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}


class StoreClient:
    """Writes straight into the store of a run, where nobody needs defaults, validation or managed fields.

    `complete` is called with a new pod before it is created, and once for all that are made of the same document;
    `admit` with each of them. What they refuse (ApiError) is not created.
    """

    def __init__(
        self,
        store: Store,
        names: random.Random,
        complete: Callable[[Pod], None],
        admit: Callable[[Pod], None] | None = None,
    ) -> None:
        self._store = store
        self._names = names
        self._complete = complete
        self._admit = admit
        self._moulds: dict[int, tuple[Mapping[str, Any], Pod]] = {}

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Creates an object; pods of one document share it."""
        metadata = document["metadata"]
        name = name or metadata.get("name") or self._free_name(document, metadata)
        if document.get("kind") == Pod.kind:
            new: Resource = self._pod(document, name)
        else:
            new = parse_resource(
                {**document, "metadata": {**metadata, "name": name, "generation": 1}}, self._store.specs
            )
        self._store.create(new)
        return new

    def update(self, old: Resource, document: Document) -> Resource:
        """Replaces an object; another spec makes a new generation."""
        if isinstance(old, Pod):
            return self._update_pod(old, document)
        metadata, before = document.get("metadata") or {}, old.manifest.get("metadata") or {}
        generation = before.get("generation") or 1
        changed = document.get("spec") != old.manifest.get("spec") or (
            old.group_kind == DEPLOYMENT and metadata.get("annotations") != before.get("annotations")
        )
        document = {**document, "metadata": {**metadata, "generation": generation + changed}}
        if "status" in old.manifest:
            document["status"] = old.manifest["status"]
        new = parse_resource(document, self._store.specs, namespaced=old.namespaced)
        new.uid, new.created, new.deleted, new.resource_version = _identity(old)
        self._write(old, new)
        return new

    def _update_pod(self, old: Pod, document: Document) -> Pod:
        """Changes the metadata of a pod; nobody changes more of it."""
        new = old.copy()
        new.manifest = {**old.manifest, "metadata": document["metadata"]}
        new.labels = document["metadata"].get("labels") or {}
        at_work = old.node_name and not old.finished and (old.deleted or 0) > self._store.clock.now
        self._write(old, new, kept=bool(at_work))
        return new

    def _write(self, old: Resource, new: Resource, kept: bool = False) -> None:
        """Writes a new version; one that is being deleted goes with its last finalizer, unless somebody keeps it."""
        if old.deleted is None or kept or (new.manifest.get("metadata") or {}).get("finalizers"):
            self._store.update(new)
        else:
            self._store.delete(old)

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Replaces the status of an object, and its annotations if any are given."""
        manifest = {**old.manifest, "status": status}
        if annotations is not None:
            manifest["metadata"] = {**old.manifest["metadata"], "annotations": annotations}
        if type(old) in _PLAIN:
            new = old.copy()
            new.manifest = manifest
        else:  # of which more is known than the document
            new = parse_resource(manifest, self._store.specs)
            new.uid, new.created, new.deleted, new.resource_version = _identity(old)
        self._store.update(new)
        return new

    def finalize(self, old: Resource, document: Document) -> None:
        """Replaces a namespace, which goes if it is deleted and nothing keeps it."""
        self.update(old, document)

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Deletes an object: a pod that runs after its grace period, any other when nothing keeps it."""
        if isinstance(old, Pod):
            self._store.evict(old, "", grace_s)
        elif policy in _KEEPERS and old.deleted is None:
            self._store.discard(self._kept(old, _KEEPERS[policy]))
        else:
            self._store.discard(old)

    def _kept(self, old: Resource, finalizer: str) -> Resource:
        """Gives an object a finalizer of the garbage collector; returns its new version."""
        metadata = old.manifest.get("metadata") or {}
        new = old.copy()
        new.manifest = {**old.manifest, "metadata": {**metadata, "finalizers": [*_finalizers(metadata), finalizer]}}
        self._store.update(new)
        return new

    def _pod(self, document: Mapping[str, Any], name: str) -> Pod:
        """Makes a pod; one of a document that is known shares all but its identity with those before."""
        known = self._moulds.get(id(document))
        if known is None:
            if len(self._moulds) >= _MOULDS:
                self._moulds.clear()
            mould = Pod(document, self._store.specs.intern(document["spec"]), name=name)
            self._complete(mould)
            known = self._moulds[id(document)] = (document, mould)
        new = known[1].copy()
        new.name = name
        if self._admit is not None:
            self._admit(new)
        return new

    def _free_name(self, document: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
        table = Resource({**document, "metadata": {"name": "?"}}).group_kind
        prefix, namespace = str(metadata["generateName"])[:_LONGEST_PREFIX], str(metadata.get("namespace") or "default")
        while True:
            name = prefix + "".join(self._names.choices(_ALPHABET, k=5))
            if self._store.find(table, namespace, name) is None:
                return name


def _finalizers(metadata: Mapping[str, Any]) -> list[str]:
    return list(metadata.get("finalizers") or ())


def _identity(old: Resource) -> tuple[str, Nanoseconds, Nanoseconds | None, int]:
    return old.uid, old.created, old.deleted, old.resource_version
