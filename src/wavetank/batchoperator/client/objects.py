from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.kernel.durations import Nanoseconds

Document = dict[str, Any]


class KubeObject:
    """One version of an object, read from a simulated cluster or over HTTP; never changed.

    `created` is the virtual or real time of its creation. `node_name` and `phase` are those of a pod, else empty;
    `deleting` is set once it has a deletionTimestamp. `manifest` is the document without what the server adds;
    `render` is the whole one.
    """

    __slots__ = (
        "created",
        "deleting",
        "group_kind",
        "labels",
        "manifest",
        "name",
        "namespace",
        "node_name",
        "phase",
        "source",
        "spec",
        "status",
        "uid",
        "version",
    )

    group_kind: GroupKind
    namespace: str
    name: str
    uid: str
    version: str
    labels: Mapping[str, str]
    created: Nanoseconds
    deleting: bool
    manifest: Mapping[str, Any]
    spec: Mapping[str, Any]
    status: Mapping[str, Any]
    node_name: str
    phase: str
    source: Resource | None

    @property
    def key(self) -> tuple[str, str]:
        """Returns (namespace, name)."""
        return self.namespace, self.name

    @property
    def annotations(self) -> Mapping[str, str]:
        """Returns the annotations."""
        return (self.manifest.get("metadata") or {}).get("annotations") or {}

    def render(self) -> Document:
        """Returns the object as Kubernetes JSON."""
        return dict(self.manifest) if self.source is None else self.source.render()

    def __repr__(self) -> str:
        return f"<{self.group_kind} {self.namespace}/{self.name}>"


def from_resource(resource: Resource, group_kind: GroupKind | None = None) -> KubeObject:
    """Returns an object of the store; nothing is rendered or copied. Stating its kind saves finding it out."""
    found = KubeObject()
    found.source = resource
    found.group_kind = group_kind or resource.group_kind
    found.namespace, found.name = resource.namespace, resource.name
    found.uid, found.version = resource.uid, str(resource.resource_version)
    found.labels = resource.labels
    found.created, found.deleting = resource.created, resource.deleted is not None
    manifest = found.manifest = resource.manifest
    found.status = manifest.get("status") or {}
    if isinstance(resource, Pod):
        found.spec, found.node_name, found.phase = resource.spec.manifest, resource.node_name, resource.phase
    else:
        found.spec = manifest.get("spec") or {}
        found.node_name = found.phase = ""
    return found


def from_document(document: Mapping[str, Any], group_kind: GroupKind) -> KubeObject:
    """Returns an object that was read over HTTP."""
    found = KubeObject()
    metadata = document.get("metadata") or {}
    found.source = None
    found.group_kind = group_kind
    found.namespace, found.name = metadata.get("namespace") or "", metadata["name"]
    found.uid, found.version = metadata.get("uid") or "", metadata.get("resourceVersion") or ""
    found.labels = metadata.get("labels") or {}
    found.created = parse_time(metadata.get("creationTimestamp"), "metadata.creationTimestamp") or 0
    found.deleting = metadata.get("deletionTimestamp") is not None
    found.manifest = document
    found.spec, found.status = document.get("spec") or {}, document.get("status") or {}
    found.node_name, found.phase = found.spec.get("nodeName") or "", found.status.get("phase") or ""
    return found


def timestamp(now: Nanoseconds) -> str:
    """Writes a time of the operator's clock, as Kubernetes does."""
    return render_time(now)
