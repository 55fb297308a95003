from __future__ import annotations

from wavetank.cluster.objects.groupkinds import PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_persistent_volumes(context: ControllerContext) -> None:
    from wavetank.controllers.volumes.persistentvolumes import PersistentVolumes

    PersistentVolumes(context.store)


def _start_ephemeral_volumes(context: ControllerContext) -> None:
    from wavetank.controllers.volumes.ephemeral import EphemeralVolumes

    EphemeralVolumes(context.store)


PERSISTENT_VOLUME_BINDER = ControllerDescriptor(
    "persistentvolume-binder-controller",
    _start_persistent_volumes,
    kinds=(
        STORAGE_CLASS,
        PERSISTENT_VOLUME,
        PERSISTENT_VOLUME_CLAIM,
    ),
    aliases=("persistentvolume-binder",),
    served_from_start=True,
)
EPHEMERAL_VOLUME_CONTROLLER = ControllerDescriptor(
    "ephemeral-volume-controller",
    _start_ephemeral_volumes,
    kinds=(
        STORAGE_CLASS,
        PERSISTENT_VOLUME,
    ),
    aliases=("ephemeral-volume",),
)
