from __future__ import annotations

from wavetank.cluster.objects.groupkinds import PERSISTENT_VOLUME, STORAGE_CLASS
from wavetank.cluster.store.store import Store
from wavetank.controllers.volumes.ephemeral import EphemeralVolumes
from wavetank.controllers.volumes.persistentvolumes import PersistentVolumes


def attach_volume_controllers(store: Store, on_demand: bool = False) -> None:
    """Starts the controllers of volumes and claims on a cluster whose storage classes and volumes exist already.

    `on_demand`: a claim is bound only if a scheduler asks for it, so that a snapshot stays as it is.
    """
    PersistentVolumes(store, on_demand)
    if store.has(STORAGE_CLASS) or store.has(PERSISTENT_VOLUME):
        EphemeralVolumes(store)
