"""Loads the objects of a cluster as an API server would store them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.registry.preparing import prepare_create
from wavetank.apiserver.strategies.strategy import WriteContext
from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION
from wavetank.cluster.objects.kinds import ClusterResource, Namespace
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.resource import Manifest, Resource, render_time
from wavetank.cluster.rules.admission import admit
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.nodes.reports.nodestatus import ARCHITECTURE, OS
from wavetank.simulation.creation.apicreation import ApiCreation
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.manifests.nodes import HOSTNAME
from wavetank.workloads.manifests.objects import make_object

Document = dict[str, Any]
_MAY_EXIST = (Namespace.kind, CUSTOM_RESOURCE_DEFINITION)


def load_cluster(
    cluster: Cluster,
    store: Store,
    kinds: KindTable,
    scheduler_name: str | None = None,
    settle: Callable[[], None] | None = None,
    creation: ApiCreation | None = None,
) -> None:
    """Creates a cluster's objects and the namespaces that they need; InputError if one is refused.

    An object with a status keeps it; one without is new. With a `scheduler_name` all pods get it. `settle` is called
    before the first pod. `creation` creates new objects that webhooks are about.
    """
    resources = cluster.resources(store.specs)  # in the order of their dependencies, pods last
    for manifest in (*_namespaces(resources, store), *(resource.manifest for resource in resources)):
        resource = _complete(_for_scheduler(manifest, scheduler_name), store, kinds)
        try:
            if creation is not None and creation.create(manifest) is not None:
                continue
            if isinstance(resource, Pod):
                admit(resource, store)
                if settle is not None:
                    settle()
                    settle = None
            if resource.group_kind not in _MAY_EXIST or store.find(resource.group_kind, "", resource.name) is None:
                store.create(resource)
        except ApiError as error:
            place = f"{resource.manifest_kind} {'/'.join(part for part in resource.key if part)}"
            raise InputError(str(error), path=place) from None


def complete_object(resource: Resource, store: Store) -> Resource:
    """Returns a new object as an API server would store it, with its defaults."""
    return _complete(resource.manifest, store, _builtin_kinds())


@cache
def _builtin_kinds() -> KindTable:
    return KindTable.builtin()


class PodCompleter:
    """Completes the pods of a workload as an API server would, and creates the namespaces that they need.

    With a `scheduler_name` all of them get it.
    """

    def __init__(self, store: Store, kinds: KindTable, scheduler_name: str | None) -> None:
        self.scheduler_name = scheduler_name
        self._store = store
        self._kind = kinds.named("v1", Pod.kind)
        self._specs: dict[PodSpec, PodSpec] = {}

    def complete(self, pod: Pod) -> None:
        """Completes a new pod."""
        if pod.spec not in self._specs:
            if len(self._specs) >= _SPECS:
                self._specs.clear()
            self._specs[pod.spec] = self._completed(pod.spec)
        pod.spec = self._specs[pod.spec]
        pod.scheduler_name = pod.spec.scheduler_name
        ensure_namespace(self._store, pod.namespace)

    def _completed(self, spec: PodSpec) -> PodSpec:
        document = {"apiVersion": "v1", "kind": Pod.kind, "metadata": {}, "spec": copy.deepcopy(dict(spec.manifest))}
        assert self._kind is not None
        set_defaults(self._kind, document)
        return self._store.specs.intern(_for_scheduler(document, self.scheduler_name)["spec"])


def ensure_namespace(store: Store, name: str) -> None:
    """Creates a namespace unless it exists."""
    if store.find(Namespace.kind, "", name) is None:
        store.create(Namespace({"apiVersion": "v1", "kind": Namespace.kind, **_active(name)}))


_SPECS = 10_000  # completed specs that are cached: in a trace every pod may have its own


def _active(namespace: str) -> Document:
    labels = {"kubernetes.io/metadata.name": namespace}
    return {
        "metadata": {"name": namespace, "labels": labels},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def _for_scheduler(manifest: Manifest, scheduler_name: str | None) -> Manifest:
    if scheduler_name is None or manifest.get("kind") != Pod.kind:
        return manifest
    return {**manifest, "spec": {**manifest["spec"], "schedulerName": scheduler_name}}


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
    if kind.group_kind == "Node":
        metadata["labels"] = _registered(metadata)
    is_new = "status" not in document
    set_defaults(kind, document)
    if is_new:
        metadata = document["metadata"]  # defaulting has made a new one
        metadata["uid"] = metadata.get("uid") or store.next_uid
        prepare_create(kind, document, WriteContext(render_time(store.clock.now)))
    made = make_object(document, store.specs)
    return made if kind.namespaced or type(made) is not Resource else ClusterResource(document)


def _registered(metadata: Document) -> dict[str, str]:
    """Returns a node's labels with those that its kubelet sets when it registers."""
    labels = {HOSTNAME: metadata.get("name", ""), "kubernetes.io/os": OS, "kubernetes.io/arch": ARCHITECTURE}
    labels |= {"beta.kubernetes.io/os": OS, "beta.kubernetes.io/arch": ARCHITECTURE}
    return {**labels, **(metadata.get("labels") or {})}
