"""The files of volumes that simulated containers share."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.shell.session import Files, MemoryFiles

Content = dict[str, str]  # by path inside of the volume


class Volumes:
    """The volumes of all pods: emptyDirs, directories of nodes and claims keep what containers write."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[tuple[str, ...], Content] = {}

    def forget(self, pod: Pod) -> None:
        """Forgets the emptyDirs of a pod that is gone."""
        for key in [key for key in self._kept if key[:2] == ("emptyDir", pod.uid)]:
            del self._kept[key]

    def kept_of(self, pod: Pod) -> dict[str, Content]:
        """Returns what containers have written to the volumes of a pod, by the names of these."""
        volumes = pod.spec.manifest.get("volumes") or ()
        found = ((str(each.get("name")), self._kept.get(_identity(pod, each))) for each in volumes)
        return {name: content for name, content in found if content}

    def restore(self, pod: Pod, kept: Mapping[str, Content]) -> None:
        """Takes over what was kept of the volumes of a pod."""
        for volume in pod.spec.manifest.get("volumes") or ():
            if volume.get("name") in kept:
                self._kept.setdefault(_identity(pod, volume), {}).update(kept[volume["name"]])

    def files_of(self, pod: Pod, container: Mapping[str, Any]) -> MountedFiles:
        """Returns the files that a container of a pod sees when it starts."""
        volumes = {each.get("name"): each for each in pod.spec.manifest.get("volumes") or ()}
        mounts: dict[str, Content] = {}
        for mount in container.get("volumeMounts") or ():
            volume = volumes.get(mount.get("name"))
            if volume is not None and not mount.get("subPath"):
                mounts[str(mount.get("mountPath")).rstrip("/")] = self._content(pod, volume)
        return MountedFiles(mounts)

    def _content(self, pod: Pod, volume: Mapping[str, Any]) -> Content:
        if "configMap" in volume:
            return self._keys("ConfigMap", pod.namespace, volume["configMap"] or {}, "name")
        if "secret" in volume:
            return self._keys("Secret", pod.namespace, volume["secret"] or {}, "secretName")
        return self._kept.setdefault(_identity(pod, volume), {})

    def _keys(self, kind: str, namespace: str, source: Mapping[str, Any], field: str) -> Content:
        """Returns the files of a ConfigMap or Secret: all its keys, or the items that the volume names."""
        data = data_of(self._store, kind, namespace, str(source.get(field)))
        items = source.get("items")
        if items is None:
            return {f"/{key}": value for key, value in data.items()}
        return {f"/{item['path']}": data[item["key"]] for item in items if item.get("key") in data}


def _identity(pod: Pod, volume: Mapping[str, Any]) -> tuple[str, ...]:
    if "hostPath" in volume:
        return "hostPath", pod.node_name, str((volume["hostPath"] or {}).get("path"))
    if "persistentVolumeClaim" in volume:
        return "claim", pod.namespace, str((volume["persistentVolumeClaim"] or {}).get("claimName"))
    return "emptyDir", pod.uid, str(volume.get("name"))


def data_of(store: Store, kind: str, namespace: str, name: str) -> Content:
    """Returns the data of a ConfigMap or Secret as text; empty if there is none."""
    found = store.find(kind, namespace, name)
    if found is None:
        return {}
    data = {str(key): str(value) for key, value in (found.manifest.get("data") or {}).items()}
    return data if kind == "ConfigMap" else dict(_decoded(data))


def _decoded(data: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        try:
            yield key, base64.b64decode(value).decode(errors="replace")
        except (binascii.Error, ValueError):
            yield key, ""


class MountedFiles(MemoryFiles):
    """The files of one run of a container: its own, and those of mounted volumes."""

    def __init__(self, mounts: Mapping[str, Content]) -> None:
        super().__init__()
        self._mounts = sorted(mounts.items(), key=lambda mount: -len(mount[0]))

    def read(self, path: str) -> str | None:
        """Returns the content of a file, or None."""
        mounted = self._mounted(path)
        return super().read(path) if mounted is None else mounted[0].get(mounted[1])

    def write(self, path: str, content: str | None) -> None:
        """Writes a file, or removes it."""
        mounted = self._mounted(path)
        if mounted is None:
            super().write(path, content)
        elif content is None:
            mounted[0].pop(mounted[1], None)
        else:
            mounted[0][mounted[1]] = content

    def has_directory(self, path: str) -> bool:
        """Tells whether a path is a directory."""
        return any(path.rstrip("/") == place for place, _ in self._mounts) or super().has_directory(path)

    def _mounted(self, path: str) -> tuple[Content, str] | None:
        for place, content in self._mounts:
            if path.startswith(place + "/"):
                return content, path[len(place) :]
        return None


class FilesAt(MemoryFiles):
    """The files of a container some time after its start, by the changes of its run; all others are as given."""

    def __init__(
        self, age: Nanoseconds, changes: Sequence[tuple[Nanoseconds, str, bool]], others: Files | None
    ) -> None:
        super().__init__()
        self._others = others
        self._changed = {path for _, path, _ in changes}
        for time, path, exists in changes:
            if time <= age:
                super().write(path, "" if exists else None)

    def read(self, path: str) -> str | None:
        """Returns the content of a file, or None."""
        if path in self._changed or self._others is None:
            return super().read(path)
        return self._others.read(path)
