"""Admission plugins for volumes and claims."""

from __future__ import annotations

from fractions import Fraction

from wavetank.apiserver.admission.attributes import Attributes, Document
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.quantity import value_of

_CLASSES = "StorageClass.storage.k8s.io"
_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_BETA = "volume.beta.kubernetes.io/storage-class"
_FINALIZERS = {
    "PersistentVolume": "kubernetes.io/pv-protection",
    "PersistentVolumeClaim": "kubernetes.io/pvc-protection",
    "VolumeAttributesClass.storage.k8s.io": "kubernetes.io/vac-protection",
}


class DefaultStorageClass(Plugin):
    """Gives a claim that names no class the default one, the newest if there are several."""

    name = "DefaultStorageClass"

    def mutate(self, attributes: Attributes) -> None:
        """Completes a new claim."""
        if not attributes.is_write_of("PersistentVolumeClaim", "CREATE"):
            return
        document = attributes.document
        if _class_of(document) is not None:
            return
        defaults = [one for one in self.store.list(_CLASSES) if any(one.annotations.get(a) == "true" for a in _DEFAULT)]
        if defaults:
            newest = min(defaults, key=lambda one: (-one.created, one.name))
            document["spec"]["storageClassName"] = newest.name


class StorageObjectInUseProtection(Plugin):
    """Protects volumes and claims that are in use from deletion, by a finalizer."""

    name = "StorageObjectInUseProtection"

    def mutate(self, attributes: Attributes) -> None:
        """Completes a new volume or claim."""
        finalizer = _FINALIZERS.get(attributes.kind.group_kind)
        if finalizer is None or attributes.operation != "CREATE" or attributes.subresource:
            return
        metadata = attributes.document["metadata"]
        present = metadata.get("finalizers") or []
        if finalizer not in present:
            metadata["finalizers"] = [*present, finalizer]


class PersistentVolumeClaimResize(Plugin):
    """Lets only bound claims grow, of a class that allows it."""

    name = "PersistentVolumeClaimResize"

    def validate(self, attributes: Attributes) -> None:
        """Refuses a claim that may not grow."""
        old = attributes.old
        if not attributes.is_write_of("PersistentVolumeClaim", "UPDATE") or old is None:
            return
        if _size(attributes.document) <= _size(old):
            return
        if (old.get("status") or {}).get("phase") != "Bound":
            raise attributes.refused("Only bound persistent volume claims can be expanded")
        name = _class_of(attributes.document) or ""
        storage_class = self.store.find(_CLASSES, "", name) if name == (_class_of(old) or "") else None
        if storage_class is None or not storage_class.manifest.get("allowVolumeExpansion"):
            why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc"
            raise attributes.refused(f"{why} must support resize")


def _class_of(claim: Document) -> str | None:
    annotated: str | None = (claim["metadata"].get("annotations") or {}).get(_BETA)
    named: str | None = claim["spec"].get("storageClassName")
    return annotated if annotated is not None else named


def _size(claim: Document) -> Fraction:
    return value_of(((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage"))
