"""The kinds that scheduling reads, besides pods and nodes, and where each manifest belongs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.labels import indexed
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.dra import DRA_KINDS
from wavetank.cluster.objects.kueue import KUEUE_KINDS
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.cluster.objects.storage import STORAGE_KINDS
from wavetank.cluster.objects.volcano import VOLCANO_KINDS
from wavetank.errors import InputError


class Namespace(Resource):
    """A namespace; the label kubernetes.io/metadata.name is there as the API server adds it."""

    __slots__ = ()
    kind = "Namespace"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.labels = indexed({**self.labels, "kubernetes.io/metadata.name": self.name})


class PriorityClass(Resource):
    """A named priority."""

    __slots__ = ("global_default", "preemption_policy", "value")
    kind = "PriorityClass"
    api_version = "scheduling.k8s.io/v1"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        value = manifest.get("value")
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"expected an integer, got {value!r}", path="value")
        self.value = value
        self.global_default = bool(manifest.get("globalDefault"))
        self.preemption_policy = str(manifest.get("preemptionPolicy") or "PreemptLowerPriority")


class PodDisruptionBudget(Resource):
    """How many of the selected pods may be disrupted at a time; the figure is in its status."""

    __slots__ = ("disrupted", "disruptions_allowed", "selector")
    kind = "PodDisruptionBudget"
    api_version = "policy/v1"

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        status = manifest.get("status") or {}
        self.selector = LabelSelector.parse(_spec(manifest).get("selector"), path="spec.selector")
        self.disruptions_allowed = int(status.get("disruptionsAllowed") or 0)
        self.disrupted = frozenset(status.get("disruptedPods") or ())


class Service(Resource):
    """A service, of which scheduling reads the selector; one without a selector selects no pod."""

    __slots__ = ("selector",)
    kind = "Service"

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        labels = _spec(manifest).get("selector")
        selector = {"matchLabels": labels} if labels else None
        self.selector = LabelSelector.parse(selector, path="spec.selector")


class ReplicaSet(Resource):
    """A replica set, of which scheduling reads the selector."""

    __slots__ = ("selector",)
    kind = "ReplicaSet"
    api_version = "apps/v1"

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.selector = LabelSelector.parse(_spec(manifest).get("selector"), path="spec.selector")


class ReplicationController(Resource):
    """A replication controller, whose selector is a mapping of labels; without one, those of its template."""

    __slots__ = ("selector",)
    kind = "ReplicationController"

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        spec = _spec(manifest)
        labels = spec.get("selector") or ((spec.get("template") or {}).get("metadata") or {}).get("labels")
        self.selector = LabelSelector.parse({"matchLabels": labels or {}}, path="spec.selector")


_KINDS: tuple[type[Resource], ...] = (
    Node,
    Namespace,
    PriorityClass,
    PodDisruptionBudget,
    Service,
    ReplicaSet,
    ReplicationController,
)
_CLASSES: dict[str, type[Resource]] = {
    cls.kind: cls for cls in (*_KINDS, *STORAGE_KINDS, *DRA_KINDS, *VOLCANO_KINDS, *KUEUE_KINDS)
}


class ClusterResource(Resource):
    """An object of a kind that has no class of its own and no namespace."""

    __slots__ = ()
    namespaced = False


def parse_resource(manifest: Manifest, specs: SpecTable, *, namespaced: bool = True) -> Resource:
    """Makes the light object of a manifest; a kind without a class of its own is kept as it is.

    `namespaced` is whether objects of such a kind have a namespace.
    """
    kind, version = manifest.get("kind"), manifest.get("apiVersion")
    if not isinstance(kind, str) or not kind:
        raise InputError("a manifest needs its kind", path="kind")
    if not isinstance(version, str) or not version:
        raise InputError("a manifest needs its apiVersion", path="apiVersion")
    if kind == Pod.kind and not _group(version):
        return Pod.parse(manifest, specs)
    cls = _CLASSES.get(kind)
    if cls is None or (version != cls.api_version and _group(version) != _group(cls.api_version)):
        cls = Resource if namespaced else ClusterResource
    return cls(manifest)


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def _spec(manifest: Manifest) -> Mapping[str, Any]:
    spec = manifest.get("spec") or {}
    if not isinstance(spec, Mapping):
        raise InputError(f"expected a mapping, got {spec!r}", path="spec")
    return spec
