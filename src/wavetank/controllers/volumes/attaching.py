from __future__ import annotations

from wavetank.cluster.objects.groupkinds import STORAGE_CLASS
from wavetank.cluster.store.store import Store
from wavetank.controllers.volumes.ephemeral import EphemeralVolumes
from wavetank.controllers.volumes.persistentvolumes import PersistentVolumes


def attach_volume_controllers(store: Store, on_demand: bool = False) -> None:
    """Starts the controllers of volumes and claims on a cluster, whose storage classes must be there already.

    `on_demand` they bind no claim that no scheduler asks them to bind: a snapshot stays what it is.
    """
    PersistentVolumes(store, on_demand)
    attach_ephemeral_volumes(store)


def attach_ephemeral_volumes(store: Store) -> None:
    """Starts the controller of ephemeral volumes on a cluster that has storage.

    In a cluster without any nobody looks at pods: their ephemeral volumes wait for ever.
    """
    tables = (STORAGE_CLASS, "PersistentVolume")
    if any(True for table in tables for _ in store.list(table)):
        EphemeralVolumes(store)
