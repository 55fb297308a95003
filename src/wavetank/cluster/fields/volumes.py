"""The volumes of a pod that scheduling looks at: claims, disks of in-tree plugins, inline CSI volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.fields.csimigration import InTreePlugin, in_tree_plugin
from wavetank.errors import InputError


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk that two pods of a node cannot share, unless both only read it; `monitors` is empty where none matter."""

    kind: str
    identity: tuple[str, ...]
    monitors: frozenset[str] = frozenset()
    read_only: bool = False

    def conflicts(self, other: Disk) -> bool:
        """Returns whether both cannot be on one node."""
        if (self.kind, self.identity) != (other.kind, other.identity) or (self.read_only and other.read_only):
            return False
        return not self.monitors or bool(self.monitors & other.monitors)


@dataclass(frozen=True, slots=True)
class Volume:
    """One volume of a pod. It has one source: a claim by name, a claim of its own (`ephemeral`), or an inline volume.

    `plugin` and `handle` are of an in-tree volume that a CSI driver has taken over, `csi_driver` is of an inline
    CSI volume.
    """

    name: str
    claim: str | None = None
    ephemeral: bool = False
    disk: Disk | None = None
    plugin: InTreePlugin | None = None
    handle: str = ""
    csi_driver: str = ""

    def claim_name(self, pod_name: str) -> str | None:
        """Returns the claim that the volume has in a pod of that name, or None if it has none."""
        return f"{pod_name}-{self.name}" if self.ephemeral else self.claim


Volumes = tuple[Volume, ...]


def parse_volumes(raw: object, path: str) -> Volumes:
    """Reads the volumes of a pod's spec; those that no node can lack (configMap, emptyDir, ...) are left out."""
    if raw is not None and not isinstance(raw, list | tuple):
        raise InputError(f"expected a list of volumes, got {raw!r:.60}", path=path)
    return tuple(_relevant(raw or (), path))


def _relevant(raw: list[Any] | tuple[Any, ...], path: str) -> Iterator[Volume]:
    for i, volume in enumerate(raw):
        if not isinstance(volume, Mapping):
            raise InputError(f"expected a volume, got {volume!r:.60}", path=f"{path}[{i}]")
        parsed = _parse(volume, f"{path}[{i}]")
        if parsed is not None:
            yield parsed


def _parse(volume: Mapping[str, Any], path: str) -> Volume | None:
    name = str(volume.get("name") or "")
    if volume.get("persistentVolumeClaim") is not None:
        return Volume(name, claim=str(_source(volume, "persistentVolumeClaim", path).get("claimName") or ""))
    if volume.get("ephemeral") is not None:
        return Volume(name, ephemeral=True)
    if volume.get("csi") is not None:
        return Volume(name, csi_driver=str(_source(volume, "csi", path).get("driver") or ""))
    plugin = in_tree_plugin(volume)
    disk = _disk(volume, path)
    if plugin is None:
        return None if disk is None else Volume(name, disk=disk)
    return Volume(name, disk=disk, plugin=plugin, handle=plugin.volume_handle(_source(volume, plugin.field, path)))


_DISKS = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd")


def _disk(volume: Mapping[str, Any], path: str) -> Disk | None:
    kind = next((kind for kind in _DISKS if volume.get(kind) is not None), None)
    if kind is None:
        return None
    source = _source(volume, kind, path)
    read_only = bool(source.get("readOnly"))
    match kind:
        case "gcePersistentDisk":
            return Disk(kind, (str(source.get("pdName")),), read_only=read_only)
        case "awsElasticBlockStore":  # a conflict even if both only read
            return Disk(kind, (str(source.get("volumeID")),))
        case "iscsi":
            return Disk(kind, (str(source.get("iqn")),), read_only=read_only)
    identity = str(source.get("pool") or "rbd"), str(source.get("image"))
    return Disk(kind, identity, frozenset(source.get("monitors") or ()), read_only)


def _source(volume: Mapping[str, Any], field: str, path: str) -> Mapping[str, Any]:
    source = volume[field]
    if not isinstance(source, Mapping):
        raise InputError(f"expected a mapping, got {source!r:.60}", path=f"{path}.{field}")
    return source
