"""Volumes, claims on them, their classes, and what CSI drivers report of nodes: as far as scheduling reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wavetank.cluster.fields.csimigration import BETA_ZONE, ZONE, in_tree_plugin
from wavetank.cluster.fields.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement, read_at
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.errors import InputError
from wavetank.quantity import whole

AVAILABLE, BOUND, RELEASED, PENDING, LOST = "Available", "Bound", "Released", "Pending", "Lost"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_CLASS = "volume.beta.kubernetes.io/storage-class"
_MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"


class ClaimRef(NamedTuple):
    """The claim that a volume is meant for; without a uid it is reserved by its user."""

    namespace: str
    name: str
    uid: str


class PersistentVolume(Resource):
    """A volume; `capacity` in bytes. `node_affinity` is None where every node can reach it.

    `csi` is (driver, handle) of a CSI volume. `plugin`, if it is an in-tree volume, has been taken over by a driver.
    """

    __slots__ = (
        "access_modes",
        "attributes_class",
        "capacity",
        "claim",
        "csi",
        "node_affinity",
        "phase",
        "plugin",
        "reclaim_policy",
        "storage_class",
        "volume_mode",
    )
    kind = "PersistentVolume"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        spec = _mapping(manifest, "spec")
        self.access_modes = frozenset(spec.get("accessModes") or ())
        self.attributes_class = str(spec.get("volumeAttributesClassName") or "")
        self.capacity = _bytes(_mapping(spec, "capacity", "spec.capacity").get("storage"), "spec.capacity.storage") or 0
        self.claim = _claim_ref(spec)
        self.node_affinity = _node_affinity(spec)
        self.phase = str(_mapping(manifest, "status").get("phase") or PENDING)
        self.reclaim_policy = str(spec.get("persistentVolumeReclaimPolicy") or "Retain")
        self.storage_class = self.annotations.get(_CLASS, str(spec.get("storageClassName") or ""))
        self.volume_mode = str(spec.get("volumeMode") or "Filesystem")
        csi = _mapping(spec, "csi", "spec.csi")
        self.csi = (str(csi.get("driver")), str(csi.get("volumeHandle"))) if csi else None
        self.plugin = in_tree_plugin(spec)

    def is_for(self, claim: PersistentVolumeClaim) -> bool:
        """Returns whether the volume is bound to, or reserved for, a claim."""
        ref = self.claim
        return ref is not None and (ref.namespace, ref.name) == claim.key and ref.uid in ("", claim.uid)

    def reachable(self, labels: Mapping[str, str]) -> bool:
        """Returns whether a node with these labels can reach the volume."""
        return self.node_affinity is None or self.node_affinity.matches(labels, "")

    def migrated_csi(self) -> tuple[str, str] | None:
        """Returns the driver and the handle that an in-tree volume has since its plugin was migrated."""
        if self.plugin is None:
            return None
        zone = self.labels.get(ZONE) or self.labels.get(BETA_ZONE) or "UNSPECIFIED"
        return self.plugin.driver, self.plugin.volume_handle(self.manifest["spec"][self.plugin.field], zone)

    def migrated_affinity(self) -> NodeSelector | None:
        """Returns the node affinity of an in-tree volume in the words of its driver: its own label for the zone."""
        terms = self.node_affinity.terms if self.node_affinity else frozenset[NodeSelectorTerm]()
        zone = next((key for key in (ZONE, BETA_ZONE) if _mentions(terms, key)), None)
        new = self.plugin.zone_key if self.plugin else ""
        if not new:
            return self.node_affinity
        if zone is not None:
            return NodeSelector(frozenset(_renamed(term, zone, new) for term in terms))
        label = self.labels.get(ZONE) or self.labels.get(BETA_ZONE)
        if not label:
            return self.node_affinity
        added = Requirement(new, "In", frozenset(label.split("__")))
        return NodeSelector(
            frozenset(
                NodeSelectorTerm(term.expressions | {added}, term.fields) for term in terms or {NodeSelectorTerm()}
            )
        )


def _mentions(terms: frozenset[NodeSelectorTerm], key: str) -> bool:
    return any(requirement.key == key for term in terms for requirement in term.expressions)


def _renamed(term: NodeSelectorTerm, old: str, new: str) -> NodeSelectorTerm:
    expressions = (
        Requirement(new if requirement.key == old else requirement.key, requirement.operator, requirement.values)
        for requirement in term.expressions
    )
    return NodeSelectorTerm(frozenset(expressions), term.fields)


class PersistentVolumeClaim(Resource):
    """A claim on a volume; `request` in bytes, None if it states none. `owner` is the uid of its controller.

    `selected_node` is where a scheduler wants the volume to be provisioned.
    """

    __slots__ = (
        "access_modes",
        "attributes_class",
        "bind_completed",
        "owner",
        "phase",
        "request",
        "selected_node",
        "selector",
        "storage_class",
        "volume_mode",
        "volume_name",
    )
    kind = "PersistentVolumeClaim"

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        spec = _mapping(manifest, "spec")
        requests = _mapping(_mapping(spec, "resources", "spec.resources"), "requests", "spec.resources.requests")
        self.access_modes = frozenset(spec.get("accessModes") or ())
        self.attributes_class = str(spec.get("volumeAttributesClassName") or "")
        self.bind_completed = BIND_COMPLETED in self.annotations
        self.owner = _controller(manifest)
        self.phase = str(_mapping(manifest, "status").get("phase") or PENDING)
        self.request = _bytes(requests.get("storage"), "spec.resources.requests.storage")
        self.selected_node = self.annotations.get(SELECTED_NODE)
        self.selector = None if spec.get("selector") is None else LabelSelector.parse(spec["selector"])
        self.storage_class = self.annotations.get(_CLASS, str(spec.get("storageClassName") or ""))
        self.volume_mode = str(spec.get("volumeMode") or "Filesystem")
        self.volume_name = str(spec.get("volumeName") or "")

    @property
    def bound(self) -> bool:
        """Returns whether the claim has its volume for good."""
        return bool(self.volume_name) and self.bind_completed


class StorageClass(Resource):
    """A kind of volumes. Each of `topologies` is a set of labels, with their values, that a node may have."""

    __slots__ = ("is_default", "provisioner", "reclaim_policy", "topologies", "waits")
    kind = "StorageClass"
    api_version = "storage.k8s.io/v1"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.provisioner = str(manifest.get("provisioner") or "")
        self.reclaim_policy = str(manifest.get("reclaimPolicy") or "Delete")
        self.is_default = self.annotations.get(DEFAULT_CLASS) == "true"
        self.waits = manifest.get("volumeBindingMode") == "WaitForFirstConsumer"
        self.topologies = tuple(_topology(term) for term in manifest.get("allowedTopologies") or ())

    @property
    def provisions(self) -> bool:
        """Returns whether volumes of this class are made when they are needed."""
        return self.provisioner not in ("", NO_PROVISIONER)

    def allows(self, labels: Mapping[str, str]) -> bool:
        """Returns whether volumes of this class may be made for a node with these labels."""
        if not self.topologies:
            return True
        return any(term and all(labels.get(key) in values for key, values in term) for term in self.topologies)


class CSINode(Resource):
    """The CSI drivers of a node: how many volumes each can attach (None: no limit), and the plugins they replace."""

    __slots__ = ("drivers", "migrated")
    kind = "CSINode"
    api_version = "storage.k8s.io/v1"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        drivers = _mapping(manifest, "spec").get("drivers") or ()
        self.drivers: Mapping[str, int | None] = {
            str(driver.get("name")): (driver.get("allocatable") or {}).get("count") for driver in drivers
        }
        self.migrated = frozenset(filter(None, self.annotations.get(_MIGRATED, "").split(",")))


class CSIDriver(Resource):
    """A CSI driver; `tracks_capacity` if it says how much storage is left where."""

    __slots__ = ("tracks_capacity",)
    kind = "CSIDriver"
    api_version = "storage.k8s.io/v1"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.tracks_capacity = bool(_mapping(manifest, "spec").get("storageCapacity"))


class CSIStorageCapacity(Resource):
    """How much storage of a class the nodes that `nodes` selects can still get, in bytes; None where it is not known.

    `largest` is the largest volume that can be made.
    """

    __slots__ = ("capacity", "largest", "nodes", "storage_class")
    kind = "CSIStorageCapacity"
    api_version = "storage.k8s.io/v1"

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.storage_class = str(manifest.get("storageClassName") or "")
        self.nodes = LabelSelector.parse(manifest.get("nodeTopology"), path="nodeTopology")
        self.capacity = _bytes(manifest.get("capacity"), "capacity")
        largest = _bytes(manifest.get("maximumVolumeSize"), "maximumVolumeSize")
        self.largest = self.capacity if largest is None else largest


class VolumeAttachment(Resource):
    """That a volume is attached to a node, or shall be."""

    __slots__ = ("attacher", "node_name", "volume_name")
    kind = "VolumeAttachment"
    api_version = "storage.k8s.io/v1"
    namespaced = False

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        spec = _mapping(manifest, "spec")
        self.attacher = str(spec.get("attacher") or "")
        self.node_name = str(spec.get("nodeName") or "")
        self.volume_name = str(_mapping(spec, "source", "spec.source").get("persistentVolumeName") or "")


STORAGE_KINDS: tuple[type[Resource], ...] = (
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    CSINode,
    CSIDriver,
    CSIStorageCapacity,
    VolumeAttachment,
)


def _mapping(owner: Mapping[str, Any], field: str, path: str = "") -> Mapping[str, Any]:
    value = owner.get(field) or {}
    if not isinstance(value, Mapping):
        raise InputError(f"expected a mapping, got {value!r:.60}", path=path or field)
    return value


def _bytes(raw: Any, path: str) -> int | None:
    reader: Callable[[Any], int] = whole
    return None if raw is None else read_at(path, raw, reader)


def _claim_ref(spec: Mapping[str, Any]) -> ClaimRef | None:
    ref = _mapping(spec, "claimRef", "spec.claimRef")
    if not ref:
        return None
    return ClaimRef(str(ref.get("namespace") or "default"), str(ref.get("name") or ""), str(ref.get("uid") or ""))


def _node_affinity(spec: Mapping[str, Any]) -> NodeSelector | None:
    required = _mapping(spec, "nodeAffinity", "spec.nodeAffinity").get("required")
    return None if required is None else NodeSelector.parse(required, path="spec.nodeAffinity.required")


def _controller(manifest: Manifest) -> str:
    owners = _mapping(manifest, "metadata").get("ownerReferences") or ()
    return next((str(owner.get("uid") or "") for owner in owners if owner.get("controller")), "")


def _topology(term: Mapping[str, Any]) -> tuple[tuple[str, frozenset[str]], ...]:
    expressions = term.get("matchLabelExpressions") or ()
    return tuple((str(item.get("key")), frozenset(item.get("values") or ())) for item in expressions)
