from __future__ import annotations

from collections import defaultdict
from typing import Any

from wavetank.cluster.objects.groupkinds import PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS
from wavetank.cluster.objects.storage import (
    AVAILABLE,
    BIND_COMPLETED,
    BOUND,
    BOUND_BY_CONTROLLER,
    PENDING,
    RELEASED,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from wavetank.cluster.rules.volumematching import Candidates
from wavetank.cluster.store.store import Store
from wavetank.controllers.volumes.provisioning import volume_for


class PersistentVolumes:
    """The persistentvolume-binder-controller with all provisioners: binds claims, provisions and reclaims volumes.

    Everything happens at once, and provisioning never fails. With WaitForFirstConsumer a claim is bound when a
    scheduler has chosen a volume for it, or selected the node to provision one for. With `on_demand` only that is done:
    everything else that is unbound or unavailable stays as it is.
    """

    def __init__(self, store: Store, on_demand: bool = False) -> None:
        self._store = store
        self._on_demand = on_demand
        self._open: defaultdict[str, dict[str, PersistentVolume]] = defaultdict(dict)  # unbound, by class
        store.subscribe(
            PERSISTENT_VOLUME,
            added=lambda new: self.sync_volume(new.name, new.storage_class, is_new=True),
            modified=lambda old, new: self.sync_volume(new.name, new.storage_class, is_new=old.phase == PENDING),
            deleted=lambda old: self.sync_volume(old.name, old.storage_class, is_new=False),
        )
        store.subscribe(
            PERSISTENT_VOLUME_CLAIM,
            added=self.sync_claim,
            modified=lambda _, new: self.sync_claim(new),
            deleted=self.reclaim,
        )
        # volumes outlive their class
        store.subscribe(STORAGE_CLASS, added=lambda _: self.sync_claims(), modified=lambda *_: self.sync_claims())
        for volume in store.list(PERSISTENT_VOLUME):
            self.sync_volume(volume.name, volume.storage_class, is_new=False)
        self.sync_claims()

    # events

    def sync_volume(self, name: str, storage_class: str, is_new: bool) -> None:
        """Syncs a volume: a new one becomes available, one that is reserved for a claim is bound to it.

        It reads the volume from the store, since the event may be outdated.
        """
        volume = self._volume(name)
        if volume is None or volume.phase == BOUND:
            self._open[storage_class].pop(name, None)
            return
        self._open[storage_class][name] = volume
        claim = self._claim_of(volume)
        if claim is not None and not claim.bound:
            self._bind(claim, volume)
        elif volume.phase == PENDING and not (self._on_demand and volume.manifest.get("status")):
            self._store.patch(PERSISTENT_VOLUME, "", name, {"status": {"phase": AVAILABLE}})
        elif is_new and not self._on_demand:
            self._offer(volume)

    def sync_claims(self, storage_class: str | None = None) -> None:
        """Syncs every unbound claim, or those of one class."""
        for claim in self._store.list(PERSISTENT_VOLUME_CLAIM):
            if storage_class in (None, claim.storage_class):
                self.sync_claim(claim)

    def sync_claim(self, claim: PersistentVolumeClaim) -> None:
        """Syncs a claim: sets its class, then binds it to a volume if it need not wait for a consumer."""
        present = self._claim(claim.namespace, claim.name)
        if present is None or present.bound or present.deleted is not None:
            return
        storage_class = self._class(present.storage_class)
        if present.selected_node is not None and storage_class is not None and storage_class.waits:
            self._provision(present, storage_class)
        elif not self._gets_default_class(present) and not self._on_demand:
            self._find_volume(present, storage_class)

    def reclaim(self, claim: PersistentVolumeClaim) -> None:
        """Applies the reclaim policy to the volume of a deleted claim."""
        volume = self._volume(claim.volume_name) if claim.volume_name else None
        if volume is None or not volume.is_for(claim):
            return
        deletes = volume.reclaim_policy == "Delete"
        if not deletes or (volume.manifest.get("metadata") or {}).get("finalizers"):  # a bound one is protected
            self._store.patch(PERSISTENT_VOLUME, "", volume.name, {"status": {"phase": RELEASED}})
        if deletes:
            self._store.delete(self._volume(volume.name) or volume)

    # binding

    def _offer(self, volume: PersistentVolume) -> None:
        storage_class = self._class(volume.storage_class)
        if storage_class is None or not storage_class.waits:
            self.sync_claims(volume.storage_class)

    def _gets_default_class(self, claim: PersistentVolumeClaim) -> bool:
        """Sets the default class of a claim without a class; returns whether there is one."""
        if claim.storage_class or (claim.manifest.get("spec") or {}).get("storageClassName") is not None:
            return False
        name = next((item.name for item in self._store.list(STORAGE_CLASS) if item.is_default), None)
        if name is None:
            return False
        self._store.patch(PERSISTENT_VOLUME_CLAIM, claim.namespace, claim.name, {"spec": {"storageClassName": name}})
        return True

    def _find_volume(self, claim: PersistentVolumeClaim, storage_class: StorageClass | None) -> None:
        """Binds a claim to the volume that it names, to one reserved for it, or, if it need not wait, to any other."""
        waits = storage_class is not None and storage_class.waits
        if claim.volume_name:
            named = self._volume(claim.volume_name)
            volume = named if named is not None and (named.claim is None or named.is_for(claim)) else None
        else:
            open_volumes = self._open[claim.storage_class].values()
            volume = Candidates(claim, open_volumes).match_anywhere(only_reserved=waits)
        if volume is not None:
            self._bind(claim, volume)
        elif storage_class is not None and not waits and not claim.volume_name:
            self._provision(claim, storage_class)

    def _provision(self, claim: PersistentVolumeClaim, storage_class: StorageClass) -> None:
        volume = volume_for(claim, storage_class, self._store)
        if storage_class.provisions and self._volume(volume.name) is None:
            self._store.create(volume)  # bound on its event

    def _bind(self, claim: PersistentVolumeClaim, volume: PersistentVolume) -> None:
        """Binds both to each other, the volume first, so that a bound claim always has a bound volume."""
        ref = {"kind": claim.kind, "namespace": claim.namespace, "name": claim.name, "uid": claim.uid}
        if volume.phase != BOUND or volume.claim is None or volume.claim.uid != claim.uid:
            self._store.patch(
                PERSISTENT_VOLUME, "", volume.name, {"spec": {"claimRef": ref}, "status": {"phase": BOUND}}
            )
        self._open[volume.storage_class].pop(volume.name, None)
        annotations: dict[str, Any] = {BIND_COMPLETED: "yes"}
        if not claim.volume_name:
            annotations[BOUND_BY_CONTROLLER] = "yes"
        bound = {
            "metadata": {"annotations": annotations},
            "spec": {"volumeName": volume.name},
            "status": {"phase": BOUND, **_offered(volume)},
        }
        self._store.patch(PERSISTENT_VOLUME_CLAIM, claim.namespace, claim.name, bound)

    def _class(self, name: str) -> StorageClass | None:
        found = self._store.find(STORAGE_CLASS, "", name)
        assert found is None or isinstance(found, StorageClass)
        return found

    def _volume(self, name: str) -> PersistentVolume | None:
        found = self._store.find(PERSISTENT_VOLUME, "", name)
        assert found is None or isinstance(found, PersistentVolume)
        return found

    def _claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        found = self._store.find(PERSISTENT_VOLUME_CLAIM, namespace, name)
        assert found is None or isinstance(found, PersistentVolumeClaim)
        return found

    def _claim_of(self, volume: PersistentVolume) -> PersistentVolumeClaim | None:
        if volume.claim is None or (self._on_demand and not volume.claim.uid):
            return None
        claim = self._claim(volume.claim.namespace, volume.claim.name)
        return claim if claim is not None and volume.is_for(claim) else None


def _offered(volume: PersistentVolume) -> dict[str, Any]:
    """Returns what a bound claim's status says of its volume."""
    spec = volume.manifest.get("spec") or {}
    return {field: spec[field] for field in ("accessModes", "capacity") if field in spec}
