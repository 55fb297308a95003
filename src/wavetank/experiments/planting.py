"""The objects of a cluster's files as an API server would hold them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.strategies.registry import prepare_create
from wavetank.apiserver.strategies.strategy import Writing
from wavetank.cluster.admission import admit
from wavetank.cluster.kinds import ClusterResource, Namespace
from wavetank.cluster.pod import Pod
from wavetank.cluster.resource import Manifest, Resource, render_time
from wavetank.cluster.status import ApiError
from wavetank.cluster.store import Store
from wavetank.errors import InputError
from wavetank.nodes.nodestatus import ARCHITECTURE, OS
from wavetank.workloads.cluster import HOSTNAME, Cluster
from wavetank.workloads.objects import make_object

Document = dict[str, Any]


def plant_cluster(cluster: Cluster, store: Store, kinds: KindTable) -> None:
    """Creates a cluster's objects, with the namespaces that they need; InputError names one that is refused.

    An object with a status has lived already, and keeps it; one without is new.
    """
    resources = cluster.resources(store.specs)  # in the order in which they need each other
    for manifest in (*_namespaces(resources, store), *(resource.manifest for resource in resources)):
        resource = _complete(manifest, store, kinds)
        try:
            if isinstance(resource, Pod):
                admit(resource, store)
            if resource.table != Namespace.kind or store.find(Namespace.kind, "", resource.name) is None:
                store.create(resource)
        except ApiError as error:
            place = f"{resource.manifest_kind} {'/'.join(part for part in resource.key if part)}"
            raise InputError(str(error), path=place) from None


def _namespaces(resources: list[Resource], store: Store) -> Iterator[Manifest]:
    stated = {resource.name for resource in resources if isinstance(resource, Namespace)}
    for name in dict.fromkeys(resource.namespace for resource in resources):
        if name and name not in stated and store.find(Namespace.kind, "", name) is None:
            yield {"apiVersion": "v1", "kind": Namespace.kind, "metadata": {"name": name}}


def _complete(manifest: Manifest, store: Store, kinds: KindTable) -> Resource:
    document: Document = copy.deepcopy(dict(manifest))
    kind = kinds.named(str(document.get("apiVersion")), str(document.get("kind")))
    if kind is None:
        return make_object(document, store.specs)
    metadata = document.setdefault("metadata", {})
    metadata.pop("managedFields", None)
    if kind.table == "Node":
        metadata["labels"] = _registered(metadata)
    is_new = "status" not in document
    set_defaults(kind, document)
    if is_new:
        metadata["uid"] = metadata.get("uid") or store.next_uid
        prepare_create(kind, document, Writing(render_time(store.clock.now)))
    made = make_object(document, store.specs)
    return made if kind.namespaced or type(made) is not Resource else ClusterResource(document)


def _registered(metadata: Document) -> dict[str, str]:
    """Returns a node's labels with those that a kubelet gives it when it comes into the cluster."""
    labels = {HOSTNAME: metadata.get("name", ""), "kubernetes.io/os": OS, "kubernetes.io/arch": ARCHITECTURE}
    return {**labels, **(metadata.get("labels") or {})}
