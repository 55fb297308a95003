"""Volumes, claims and attribute classes that are in use are kept, by a finalizer, until nothing uses them."""

from __future__ import annotations

from wavetank.cluster.objects.groupkinds import (
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    VOLUME_ATTRIBUTES_CLASS,
    GroupKind,
)
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.storage import BOUND, PersistentVolume
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.finalizers import has_finalizer, remove_finalizer

PVC_PROTECTION = "kubernetes.io/pvc-protection"
PV_PROTECTION = "kubernetes.io/pv-protection"
VAC_PROTECTION = "kubernetes.io/vac-protection"


class Protection:
    """Removes a finalizer from objects of a kind that are being deleted, once nothing uses them."""

    kind: GroupKind
    finalizer: str

    def __init__(self, context: ControllerContext) -> None:
        self._store = context.store
        self._client = context.client
        self._kept: set[tuple[str, str]] = set()  # being deleted, and in use
        self._store.subscribe(self.kind, added=self._seen, modified=lambda _, new: self._seen(new))
        for each in list(self._store.list(self.kind)):
            self._seen(each)

    def is_used(self, resource: Resource) -> bool:
        """Says whether an object is in use."""
        raise NotImplementedError

    def look_again(self) -> None:
        """Looks at the objects that are being deleted and were in use."""
        for namespace, name in sorted(self._kept):
            present = self._store.find(self.kind, namespace, name)
            self._kept.discard((namespace, name))
            if present is not None:
                self._seen(present)

    def _seen(self, resource: Resource) -> None:
        if resource.deleted is None or not has_finalizer(resource, self.finalizer):
            return
        if self.is_used(resource):
            self._kept.add((resource.namespace, resource.name))
        else:
            remove_finalizer(self._client, resource, self.finalizer)


class ClaimProtection(Protection):
    """The persistentvolumeclaim-protection-controller: a claim is in use while a pod that has a node names it."""

    kind, finalizer = PERSISTENT_VOLUME_CLAIM, PVC_PROTECTION

    def __init__(self, context: ControllerContext) -> None:
        super().__init__(context)
        self._store.subscribe(POD, deleted=self._pod_deleted)

    def is_used(self, resource: Resource) -> bool:
        """Says whether a pod uses a claim; ended pods count as long as they exist."""
        return any(
            isinstance(pod, Pod)
            and pod.node_name
            and pod.namespace == resource.namespace
            and any(volume.claim_name(pod.name) == resource.name for volume in pod.spec.volumes)
            for pod in self._store.list(POD)
        )

    def _pod_deleted(self, _: Pod) -> None:
        if self._kept:
            self.look_again()


class VolumeProtection(Protection):
    """The persistentvolume-protection-controller: a volume is in use while it is bound."""

    kind, finalizer = PERSISTENT_VOLUME, PV_PROTECTION

    def is_used(self, resource: Resource) -> bool:
        """Says whether a volume is bound."""
        return isinstance(resource, PersistentVolume) and resource.phase == BOUND


class AttributesClassProtection(Protection):
    """The volumeattributesclass-protection-controller: a class is in use while a claim or a volume names it."""

    kind, finalizer = VOLUME_ATTRIBUTES_CLASS, VAC_PROTECTION

    def __init__(self, context: ControllerContext) -> None:
        super().__init__(context)
        for kind in (PERSISTENT_VOLUME_CLAIM, PERSISTENT_VOLUME):
            self._store.subscribe(kind, modified=lambda *_: self.look_again(), deleted=lambda _: self.look_again())

    def is_used(self, resource: Resource) -> bool:
        """Says whether a claim or a volume names a class."""
        users = (*self._store.list(PERSISTENT_VOLUME_CLAIM), *self._store.list(PERSISTENT_VOLUME))
        return any(resource.name in _classes(user) for user in users)


def _classes(user: Resource) -> tuple[object, object]:
    spec, status = (user.manifest.get(part) or {} for part in ("spec", "status"))
    return spec.get("volumeAttributesClassName"), status.get("currentVolumeAttributesClassName")
