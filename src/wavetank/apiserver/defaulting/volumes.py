"""Defaults of volumes, those of pods and those of the cluster."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, default, fill, given, items, optional, part, round_up

_MODE = 0o644


def default_volume(volume: Document, pull_policy: str) -> None:
    """Completes a pod's volume: an empty directory if no source is given."""
    if not volume.keys() - {"name"}:
        volume["emptyDir"] = {}
    for image in given(volume, "image"):
        default(image, "pullPolicy", pull_policy)
    for files in given(volume, "secret", "configMap", "downwardAPI", "projected"):
        default(files, "defaultMode", _MODE)
    _default_downward(optional(volume, "downwardAPI"))
    for source in items(optional(volume, "projected"), "sources"):
        _default_downward(optional(source, "downwardAPI"))
        for token in given(source, "serviceAccountToken"):
            default(token, "expirationSeconds", 3600)
    default_disks(volume)
    for template in given(optional(volume, "ephemeral"), "volumeClaimTemplate"):
        default_claim_spec(part(template, "spec"))


def default_disks(source: Document) -> None:
    """Completes the kinds of volumes that pods and the cluster have in common."""
    for path in given(source, "hostPath"):
        default(path, "type", "")
    for target in given(source, "iscsi"):
        default(target, "iscsiInterface", "default")
    for image in given(source, "rbd"):
        fill(image, pool="rbd", user="admin", keyring="/etc/ceph/keyring")
    for disk in given(source, "azureDisk"):
        fill(disk, cachingMode="ReadWrite", fsType="ext4", readOnly=False, kind="Shared")
    for disk in given(source, "scaleIO"):
        fill(disk, storageMode="ThinProvisioned", fsType="xfs")


def default_claim_spec(spec: Document) -> None:
    """Completes what is claimed."""
    default(spec, "volumeMode", "Filesystem")
    round_up(optional(spec, "resources"), "limits", "requests")


def _default_downward(source: Document) -> None:
    for item in items(source, "items"):
        for reference in given(item, "fieldRef"):
            default(reference, "apiVersion", "v1")
