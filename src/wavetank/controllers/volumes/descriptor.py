from __future__ import annotations

from wavetank.cluster.objects.groupkinds import (
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    STORAGE_CLASS,
    VOLUME_ATTRIBUTES_CLASS,
)
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_persistent_volumes(context: ControllerContext) -> None:
    from wavetank.controllers.volumes.persistentvolumes import PersistentVolumes

    PersistentVolumes(context.store)


def _start_ephemeral_volumes(context: ControllerContext) -> None:
    from wavetank.controllers.volumes.ephemeral import EphemeralVolumes

    EphemeralVolumes(context.store)


def _start_claim_protection(context: ControllerContext) -> None:
    from wavetank.controllers.volumes.protection import ClaimProtection

    ClaimProtection(context)


def _start_volume_protection(context: ControllerContext) -> None:
    from wavetank.controllers.volumes.protection import VolumeProtection

    VolumeProtection(context)


def _start_attributes_class_protection(context: ControllerContext) -> None:
    from wavetank.controllers.volumes.protection import AttributesClassProtection

    AttributesClassProtection(context)


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
PERSISTENT_VOLUME_CLAIM_PROTECTION = ControllerDescriptor(
    "persistentvolumeclaim-protection-controller",
    _start_claim_protection,
    kinds=(PERSISTENT_VOLUME_CLAIM,),
    aliases=("pvc-protection",),
)
PERSISTENT_VOLUME_PROTECTION = ControllerDescriptor(
    "persistentvolume-protection-controller",
    _start_volume_protection,
    kinds=(PERSISTENT_VOLUME,),
    aliases=("pv-protection",),
)
VOLUME_ATTRIBUTES_CLASS_PROTECTION = ControllerDescriptor(
    "volumeattributesclass-protection-controller",
    _start_attributes_class_protection,
    kinds=(VOLUME_ATTRIBUTES_CLASS,),
)
