"""Provisioning of volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import CSI_NODE, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.storage import PENDING, CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass
from wavetank.cluster.store.store import Store
from wavetank.quantity import format_bytes


def volume_for(claim: PersistentVolumeClaim, storage_class: StorageClass, store: Store) -> PersistentVolume:
    """Returns a volume of the requested size for a claim, named after its uid.

    Its topology are the labels of the selected node that the driver lists in the CSINode, or else those of the class's
    allowedTopologies; without any, it is accessible everywhere.
    """
    name = f"pvc-{claim.uid}"
    spec: dict[str, Any] = {
        "accessModes": sorted(claim.access_modes),
        "capacity": {"storage": format_bytes(claim.request or 0)},
        "claimRef": {"kind": claim.kind, "namespace": claim.namespace, "name": claim.name, "uid": claim.uid},
        "csi": {"driver": storage_class.provisioner, "volumeHandle": name},
        "persistentVolumeReclaimPolicy": storage_class.reclaim_policy,
        "storageClassName": claim.storage_class,
        "volumeMode": claim.volume_mode,
    }
    terms = _terms(claim, storage_class, store)
    if terms:
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    head = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}}
    return PersistentVolume({**head, "spec": spec, "status": {"phase": PENDING}})


def _terms(claim: PersistentVolumeClaim, storage_class: StorageClass, store: Store) -> list[Mapping[str, Any]]:
    node = store.find(NODE, "", claim.selected_node or "")
    if not isinstance(node, Node):  # immediate binding
        return [_term(term) for term in storage_class.topologies if term]
    keys = _topology_keys(storage_class.provisioner, node, store)
    keys = keys or [key for term in storage_class.topologies for key, _ in term]
    place = {key: frozenset([node.labels[key]]) for key in keys if key in node.labels}
    return [_term(tuple(place.items()))] if place else []


def _topology_keys(driver: str, node: Node, store: Store) -> list[str]:
    csi_node = store.find(CSI_NODE, "", node.name)
    drivers = csi_node.manifest["spec"].get("drivers") or () if isinstance(csi_node, CSINode) else ()
    return [key for item in drivers if item.get("name") == driver for key in item.get("topologyKeys") or ()]


def _term(labels: tuple[tuple[str, frozenset[str]], ...]) -> Mapping[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": "In", "values": sorted(values)} for key, values in labels]}
