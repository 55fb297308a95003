from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.resources import Amounts, pod_requests
from wavetank.cluster.objects.groupkinds import POD, GroupKind
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.kernel.durations import Nanoseconds

Document = dict[str, Any]


class KubeObject:
    """One version of an object, read from a simulated cluster or over HTTP; never changed.

    `created` is the virtual or real time of its creation. `node_name` and `phase` are those of a pod, else empty;
    `deleting` is set once it has a deletionTimestamp. `manifest` is the document without what the server adds;
    `render` is the whole one. `view` is for the typed view of its kind, which is made when it is first asked for.
    """

    __slots__ = (
        "created",
        "deleting",
        "group_kind",
        "key",
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
        "view",
        "written",
    )

    group_kind: GroupKind
    namespace: str
    name: str
    key: tuple[str, str]  # (namespace, name)
    uid: str
    written: int | str  # the resourceVersion
    labels: Mapping[str, str]
    created: Nanoseconds
    deleting: bool
    manifest: Mapping[str, Any]
    spec: Mapping[str, Any]
    status: Mapping[str, Any]
    node_name: str
    phase: str
    source: Resource | None
    view: Any

    @property
    def version(self) -> str:
        """Returns the resourceVersion."""
        return str(self.written)

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
    if isinstance(resource, Pod):
        return _from_pod(resource)
    found = KubeObject()
    found.source = resource
    found.group_kind = group_kind or resource.group_kind
    found.key = found.namespace, found.name = resource.namespace, resource.name
    found.uid, found.written = resource.uid, resource.resource_version
    found.labels = resource.labels
    found.created, found.deleting = resource.created, resource.deleted is not None
    found.view = None
    manifest = found.manifest = resource.manifest
    found.status, found.spec = manifest.get("status") or {}, manifest.get("spec") or {}
    found.node_name = found.phase = ""
    return found


def _from_pod(pod: Pod) -> KubeObject:
    """Returns a pod of the store; written out besides the other kinds, since Python is quicker with one class only."""
    found = KubeObject()
    found.source = pod
    found.group_kind = POD
    found.key = found.namespace, found.name = pod.namespace, pod.name
    found.uid, found.written = pod.uid, pod.resource_version
    found.labels = pod.labels
    found.created, found.deleting = pod.created, pod.deleted is not None
    found.view = None
    found.manifest = pod.manifest
    found.status, found.spec = pod.manifest.get("status") or {}, pod.spec.manifest
    found.node_name, found.phase = pod.node_name, pod.phase
    return found


def requests_of(pod: KubeObject) -> Amounts:
    """Returns what a pod requests; in a simulated cluster that was added up before."""
    return pod.source.requests if isinstance(pod.source, Pod) else pod_requests(pod.spec)


def from_document(document: Mapping[str, Any], group_kind: GroupKind) -> KubeObject:
    """Returns an object that was read over HTTP."""
    found = KubeObject()
    metadata = document.get("metadata") or {}
    found.source = None
    found.group_kind = group_kind
    found.key = found.namespace, found.name = metadata.get("namespace") or "", metadata["name"]
    found.uid, found.written = metadata.get("uid") or "", metadata.get("resourceVersion") or ""
    found.labels = metadata.get("labels") or {}
    found.created = parse_time(metadata.get("creationTimestamp"), "metadata.creationTimestamp") or 0
    found.deleting = metadata.get("deletionTimestamp") is not None
    found.view = None
    found.manifest = document
    found.spec, found.status = document.get("spec") or {}, document.get("status") or {}
    found.node_name, found.phase = found.spec.get("nodeName") or "", found.status.get("phase") or ""
    return found


def timestamp(now: Nanoseconds) -> str:
    """Writes a time of the operator's clock, as Kubernetes does."""
    return render_time(now)
