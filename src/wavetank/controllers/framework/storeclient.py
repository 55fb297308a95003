from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.fields.labels import indexed
from wavetank.cluster.objects.groupkinds import DEPLOYMENT, LIMIT_RANGE
from wavetank.cluster.objects.kinds import ClusterResource, ReplicaSet, ReplicationController, parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.rules.admission import priority_class
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.scales import read_scale, with_replicas
from wavetank.kernel.durations import Nanoseconds

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # of generated names, as in Kubernetes
_LONGEST_PREFIX = 58  # of a generated name, before its five random characters
_TEMPLATES = 1024  # cached pods, one per document: enough for all owners that create pods at the same time
# Kinds that are represented by their document alone.
_PLAIN = (Resource, ClusterResource, ReplicaSet, ReplicationController)
# By deletion policy, the finalizer of the garbage collector.
_KEEPERS = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}


class StoreClient:
    """Writes directly to the store of a run, without defaults, validation and managed fields.

    `complete` is called once with the first pod of a document, before it is created; `admit` with each pod. `review`
    returns any other new object as it is to be. If they raise an ApiError nothing is created. `by_spec`: what
    `complete` does with a pod without annotations follows from its spec, namespace and owners alone.
    """

    def __init__(
        self,
        store: Store,
        names: random.Random,
        complete: Callable[[Pod], None],
        admit: Callable[[Pod], None] | None = None,
        review: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
        by_spec: bool = False,
    ) -> None:
        self._store = store
        self._names = names
        self._complete = complete
        self._admit = admit
        self._review = review
        self._by_spec = by_spec
        self._templates: dict[int, tuple[Mapping[str, Any], Pod]] = {}
        self._alike: dict[tuple[object, ...], Pod] = {}  # by spec, namespace and owner: documents may be made anew

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Creates an object; pods of one document share its spec."""
        metadata = document["metadata"]
        name = name or metadata.get("name") or self._free_name(document, metadata)
        if document.get("kind") == Pod.kind:
            new: Resource = self._pod(document, name)
        else:
            made: Mapping[str, Any] = {**document, "metadata": {**metadata, "name": name, "generation": 1}}
            new = parse_resource(made if self._review is None else self._review(made), self._store.specs)
        self._store.create(new)
        return new

    def update(self, old: Resource, document: Document) -> Resource:
        """Replaces an object; a changed spec increments its generation."""
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
        if type(old) is Resource:  # its document is all there is to read
            new = old.copy()
            new.manifest, new.labels = document, indexed(metadata.get("labels") or {})
        else:
            new = parse_resource(document, self._store.specs, namespaced=old.namespaced)
            new.uid, new.created, new.deleted, new.resource_version = _identity(old)
        if isinstance(new, Node) and isinstance(old, Node):
            new.ready = old.ready  # which is not in the manifest if a fault has changed it
        self._write(old, new)
        return new

    def _update_pod(self, old: Pod, document: Document) -> Pod:
        """Replaces the metadata of a pod; nothing else of it is updated this way."""
        new = old.copy()
        new.manifest = {**old.manifest, "metadata": document["metadata"]}
        new.labels = indexed(document["metadata"].get("labels") or {})
        at_work = old.node_name and not old.finished and (old.deleted or 0) > self._store.clock.now
        self._write(old, new, kept=bool(at_work))
        return new

    def _write(self, old: Resource, new: Resource, kept: bool = False) -> None:
        """Writes a new version; an object that is being deleted is removed with its last finalizer, unless `kept`."""
        if old.deleted is None or kept or (new.manifest.get("metadata") or {}).get("finalizers"):
            self._store.update(new)
        else:
            self._store.delete(old)

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Replaces the status of an object, and its annotations if they are given."""
        manifest = {**old.manifest, "status": status}
        if annotations is not None:
            manifest["metadata"] = {**old.manifest["metadata"], "annotations": annotations}
        if type(old) in _PLAIN:
            new = old.copy()
            new.manifest = manifest
        elif isinstance(old, Pod):
            new = _with_status(old, manifest)
        else:  # kinds with parsed fields
            new = parse_resource(manifest, self._store.specs)
            new.uid, new.created, new.deleted, new.resource_version = _identity(old)
        self._store.update(new)
        return new

    def finalize(self, old: Resource, document: Document) -> None:
        """Replaces a namespace; a deleted one without finalizers is removed."""
        self.update(old, document)

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Deletes an object: a running pod after its grace period, others when they have no finalizers."""
        if isinstance(old, Pod):
            self._store.evict(old, "", grace_s)
        elif policy in _KEEPERS and old.deleted is None:
            self._store.discard(self._kept(old, _KEEPERS[policy]))
        else:
            self._store.discard(old)

    def _kept(self, old: Resource, finalizer: str) -> Resource:
        """Adds a finalizer of the garbage collector to an object; returns its new version."""
        metadata = old.manifest.get("metadata") or {}
        new = old.copy()
        new.manifest = {**old.manifest, "metadata": {**metadata, "finalizers": [*_finalizers(metadata), finalizer]}}
        self._store.update(new)
        return new

    def get_scale(self, group: str, kind: str, namespace: str, name: str) -> Scale:
        """Returns the scale of a workload, or of a custom object whose definition says where its figures are."""
        return read_scale(self._store, group, kind, namespace, name)

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Sets the wanted replicas of an object."""
        self.update(scale.of, with_replicas(self._store, scale.of, replicas))

    def _pod(self, document: Mapping[str, Any], name: str) -> Pod:
        """Creates a pod; pods of the same document share everything except their identity."""
        known = self._templates.get(id(document))
        if known is None:
            if len(self._templates) >= _TEMPLATES:
                self._templates.clear()
                self._alike.clear()
            known = self._templates[id(document)] = (document, self._template(document, name))
        new = known[1].copy()
        new.name = name
        if self._admit is not None:
            self._admit(new)
        return new

    def _template(self, document: Mapping[str, Any], name: str) -> Pod:
        """Returns the first pod of a document, complete; if possible it is made from one with an equal spec."""
        spec, metadata = self._store.specs.intern(document["spec"]), document["metadata"]
        if not self._by_spec or not _is_plain(document) or self._store.has(LIMIT_RANGE):
            return self._completed(document, spec, name)
        owners = [str(owner.get("kind")) for owner in metadata.get("ownerReferences") or ()]
        key = (
            spec,
            priority_class(spec.priority_class, self._store),
            str(metadata.get("namespace") or "default"),
            *owners,
        )
        alike = self._alike.get(key)
        if alike is None:
            alike = self._alike[key] = self._completed(document, spec, name)
        new = alike.copy()
        new.manifest, new.labels = document, indexed(metadata.get("labels") or {})
        return new

    def _completed(self, document: Mapping[str, Any], spec: PodSpec, name: str) -> Pod:
        new = Pod(document, spec, name=name)
        self._complete(new)
        return new

    def _free_name(self, document: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
        group_kind = Resource({**document, "metadata": {"name": "?"}}).group_kind
        prefix, namespace = str(metadata["generateName"])[:_LONGEST_PREFIX], str(metadata.get("namespace") or "default")
        while True:
            name = prefix + "".join(self._names.choices(_ALPHABET, k=5))
            if self._store.find(group_kind, namespace, name) is None:
                return name


def _is_plain(document: Mapping[str, Any]) -> bool:
    """Tells whether a pod has nothing of its own besides its labels."""
    spec, metadata = document["spec"], document["metadata"]
    own = "annotations" in metadata or "uid" in metadata or "status" in document
    return not (own or "nodeName" in spec or "schedulingGates" in spec)


def _finalizers(metadata: Mapping[str, Any]) -> list[str]:
    return list(metadata.get("finalizers") or ())


def _identity(old: Resource) -> tuple[str, Nanoseconds, Nanoseconds | None, int]:
    return old.uid, old.created, old.deleted, old.resource_version


def _with_status(old: Pod, manifest: Document) -> Pod:
    """Returns a pod with the status of a manifest; without a reason of its own, with that of its disruption."""
    status = manifest["status"]
    disruptions = (each for each in status.get("conditions") or () if each.get("type") == "DisruptionTarget")
    new = old.copy()
    new.manifest = manifest
    new.phase = status.get("phase") or old.phase
    new.reason = status.get("reason") or next((str(each.get("reason")) for each in disruptions), old.reason)
    return new
