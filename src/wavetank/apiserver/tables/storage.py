"""The rows of volumes, claims, classes and drivers."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.tables.cells import (
    NONE,
    UNSET,
    Cells,
    Document,
    age,
    dig,
    items_at,
    name_of,
    terminating,
    text_at,
)

_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"


def persistent_volume(document: Document, now: float) -> Cells:
    """Prints a PersistentVolume."""
    spec, claim = dig(document, "spec"), dig(document, "spec", "claimRef")
    size = text_at(spec, "capacity", "storage", default="0")
    cells = [name_of(document), size, _modes(spec), text_at(spec, "persistentVolumeReclaimPolicy"), _phase(document)]
    cells.append("" if claim is None else f"{text_at(claim, 'namespace')}/{text_at(claim, 'name')}")
    cells += [_class(document), _or_unset(spec, "volumeAttributesClassName"), text_at(document, "status", "reason")]
    return [*cells, age(document, now), _or_unset(spec, "volumeMode")]


def persistent_volume_claim(document: Document, now: float) -> Cells:
    """Prints a PersistentVolumeClaim; capacity and modes are shown once it is bound."""
    spec, status = dig(document, "spec"), dig(document, "status")
    volume = text_at(spec, "volumeName")
    capacity, modes = "", ""
    if volume:
        capacity, modes = text_at(status, "capacity", "storage", default="0"), _modes(status)
    cells = [name_of(document), _phase(document), volume, capacity, modes, _class(document)]
    attributes, mode = _or_unset(spec, "volumeAttributesClassName"), _or_unset(spec, "volumeMode")
    return [*cells, attributes, age(document, now), mode]


def _modes(document: Any) -> str:
    modes = items_at(document, "accessModes")
    return ",".join(short for mode, short in _MODES.items() if mode in modes)


def _phase(document: Document) -> str:
    return "Terminating" if terminating(document) else text_at(document, "status", "phase")


def _class(document: Document) -> str:
    beta = dig(document, "metadata", "annotations", _BETA_CLASS)
    return str(beta) if beta is not None else text_at(document, "spec", "storageClassName")


def _or_unset(document: Any, field: str) -> str:
    found = dig(document, field)
    return UNSET if found is None else str(found)


def storage_class(document: Document, now: float) -> Cells:
    """Prints a StorageClass."""
    annotations = dig(document, "metadata", "annotations")
    default = any(dig(annotations, key) == "true" for key in _DEFAULT_CLASS)
    name = name_of(document) + (" (default)" if default else "")
    policy = document.get("reclaimPolicy", "Delete")
    mode = document.get("volumeBindingMode", "Immediate")
    expands = bool(dig(document, "allowVolumeExpansion"))
    return [name, text_at(document, "provisioner"), policy, mode, expands, age(document, now)]


def volume_attributes_class(document: Document, now: float) -> Cells:
    """Prints a VolumeAttributesClass."""
    return [name_of(document), text_at(document, "driverName"), age(document, now)]


def volume_attachment(document: Document, now: float) -> Cells:
    """Prints a VolumeAttachment."""
    spec = dig(document, "spec")
    cells = [name_of(document), text_at(spec, "attacher"), text_at(spec, "source", "persistentVolumeName")]
    return [*cells, text_at(spec, "nodeName"), bool(dig(document, "status", "attached")), age(document, now)]


def csi_node(document: Document, now: float) -> Cells:
    """Prints a CSINode."""
    return [name_of(document), len(items_at(document, "spec", "drivers")), age(document, now)]


def csi_driver(document: Document, now: float) -> Cells:
    """Prints a CSIDriver."""
    spec, requests = dig(document, "spec"), dig(document, "spec", "tokenRequests")
    attach = dig(spec, "attachRequired")
    flags = [attach is None or bool(attach), bool(dig(spec, "podInfoOnMount")), bool(dig(spec, "storageCapacity"))]
    tokens = UNSET if requests is None else ",".join(text_at(one, "audience") for one in requests)
    modes = ",".join(items_at(spec, "volumeLifecycleModes")) or NONE
    return [name_of(document), *flags, tokens, bool(dig(spec, "requiresRepublish")), modes, age(document, now)]
