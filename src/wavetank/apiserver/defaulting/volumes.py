"""Defaults of volumes, those of pods and those of the cluster."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, fill, given, items, optional, part, round_up

_MODE = 0o644


def default_volume(volume: Document, pull_policy: str) -> None:
    """Completes a pod's volume: an empty directory if no source is given."""
    if not volume.keys() - {"name"}:
        volume["emptyDir"] = {}
    for image in given(volume, "image"):
        image.setdefault("pullPolicy", pull_policy)
    for files in given(volume, "secret", "configMap", "downwardAPI", "projected"):
        files.setdefault("defaultMode", _MODE)
    _default_downward(optional(volume, "downwardAPI"))
    for source in items(optional(volume, "projected"), "sources"):
        _default_downward(optional(source, "downwardAPI"))
        for token in given(source, "serviceAccountToken"):
            token.setdefault("expirationSeconds", 3600)
    default_disks(volume)
    for template in given(optional(volume, "ephemeral"), "volumeClaimTemplate"):
        default_claim_spec(part(template, "spec"))


def default_disks(source: Document) -> None:
    """Completes the kinds of volumes that pods and the cluster have in common."""
    for path in given(source, "hostPath"):
        path.setdefault("type", "")
    for target in given(source, "iscsi"):
        target.setdefault("iscsiInterface", "default")
    for image in given(source, "rbd"):
        fill(image, pool="rbd", user="admin", keyring="/etc/ceph/keyring")
    for disk in given(source, "azureDisk"):
        fill(disk, cachingMode="ReadWrite", fsType="ext4", readOnly=False, kind="Shared")
    for disk in given(source, "scaleIO"):
        fill(disk, storageMode="ThinProvisioned", fsType="xfs")


def default_claim_spec(spec: Document) -> None:
    """Completes what is claimed."""
    spec.setdefault("volumeMode", "Filesystem")
    round_up(optional(spec, "resources"), "limits", "requests")


def _default_downward(source: Document) -> None:
    for item in items(source, "items"):
        for reference in given(item, "fieldRef"):
            reference.setdefault("apiVersion", "v1")
