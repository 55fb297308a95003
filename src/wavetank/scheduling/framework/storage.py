from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypeVar

from wavetank.cluster.objects.groupkinds import (
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    STORAGE_CLASS,
    VOLUME_ATTACHMENT,
)
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)

STORAGE_TABLES = (
    "PersistentVolume",
    "PersistentVolumeClaim",
    STORAGE_CLASS,
    CSI_NODE,
    CSI_DRIVER,
    CSI_STORAGE_CAPACITY,
    VOLUME_ATTACHMENT,
)

R = TypeVar("R", bound=Resource)


class Storage:
    """What a scheduler knows of volumes and claims, and what it assumes of them until the store tells otherwise.

    `claim` and `volume` give what the store said last; `assumed` gives what a pod on its way to a node has made of
    it. An assumption ends with the next version of the object.
    """

    def __init__(self) -> None:
        self._objects: dict[type, dict[tuple[str, str], Any]] = defaultdict(dict)
        self._assumed: dict[tuple[type, tuple[str, str]], Any] = {}
        self._of_class: dict[str, dict[str, PersistentVolume]] = defaultdict(dict)
        self._capacities: dict[str, dict[tuple[str, str], CSIStorageCapacity]] = defaultdict(dict)
        self._attachments: dict[str, dict[str, VolumeAttachment]] = defaultdict(dict)

    # what the store says

    def set(self, resource: Resource) -> None:
        """Adds an object, or replaces it by its new version."""
        self.remove(resource)
        self._objects[type(resource)][resource.key] = resource
        match resource:
            case PersistentVolume():
                self._of_class[resource.storage_class][resource.name] = resource
            case CSIStorageCapacity():
                self._capacities[resource.storage_class][resource.key] = resource
            case VolumeAttachment():
                self._attachments[resource.node_name][resource.name] = resource

    def remove(self, resource: Resource) -> None:
        """Forgets an object."""
        old = self._objects[type(resource)].pop(resource.key, None)
        self._assumed.pop((type(resource), resource.key), None)
        match old:
            case PersistentVolume():
                del self._of_class[old.storage_class][old.name]
            case CSIStorageCapacity():
                del self._capacities[old.storage_class][old.key]
            case VolumeAttachment():
                del self._attachments[old.node_name][old.name]

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """Returns a claim, or None."""
        return self._find(PersistentVolumeClaim, namespace, name)

    def volume(self, name: str) -> PersistentVolume | None:
        """Returns a volume, or None."""
        return self._find(PersistentVolume, "", name)

    def volumes(self) -> list[PersistentVolume]:
        """Returns all volumes, as the store knows them."""
        return list(self._objects[PersistentVolume].values())

    def storage_class(self, name: str) -> StorageClass | None:
        """Returns a class, or None."""
        return self._find(StorageClass, "", name)

    def csi_node(self, name: str) -> CSINode | None:
        """Returns what a node's CSI drivers say of it, or None."""
        return self._find(CSINode, "", name)

    def driver(self, name: str) -> CSIDriver | None:
        """Returns a CSI driver, or None."""
        return self._find(CSIDriver, "", name)

    def capacities(self, storage_class: str) -> Iterator[CSIStorageCapacity]:
        """Yields what is known of the storage left in a class."""
        yield from self._capacities[storage_class].values()

    def attachments(self, node_name: str) -> Iterator[VolumeAttachment]:
        """Yields the attachments to a node."""
        yield from self._attachments[node_name].values()

    def _find(self, cls: type[R], namespace: str, name: str) -> R | None:
        found: R | None = self._objects[cls].get((namespace, name))
        return found

    # what is assumed

    def assume(self, resource: Resource) -> None:
        """Takes an object for what it will be once a pod's binding is through; it must exist."""
        self._assumed[type(resource), resource.key] = resource

    def restore(self, resource: Resource) -> None:
        """Gives up what was assumed of an object."""
        self._assumed.pop((type(resource), resource.key), None)

    def assumed(self, resource: R) -> R:
        """Returns what is assumed of an object, or the object itself."""
        found: R = self._assumed.get((type(resource), resource.key), resource)
        return found

    def volumes_of(self, storage_class: str) -> Iterator[PersistentVolume]:
        """Yields the volumes of a class, with what is assumed of them."""
        for volume in self._of_class[storage_class].values():
            yield self.assumed(volume)
