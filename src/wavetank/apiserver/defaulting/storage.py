"""Defaults of the group storage.k8s.io."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, fill, given, optional, part, round_up
from wavetank.apiserver.defaulting.volumes import default_disks


def default_storage_class(storage_class: Document) -> None:
    """Completes a storage class."""
    fill(storage_class, reclaimPolicy="Delete", volumeBindingMode="Immediate")


def default_csi_driver(driver: Document) -> None:
    """Completes what is known of a driver."""
    spec = part(driver, "spec")
    fill(spec, attachRequired=True, podInfoOnMount=False, storageCapacity=False, requiresRepublish=False)
    fill(spec, fsGroupPolicy="ReadWriteOnceWithFSType", volumeLifecycleModes=["Persistent"], seLinuxMount=False)


def default_attachment(attachment: Document) -> None:
    """Completes an attachment's inline volume."""
    for spec in given(optional(attachment, "spec", "source"), "inlineVolumeSpec"):
        round_up(spec, "capacity")
        default_disks(spec)
