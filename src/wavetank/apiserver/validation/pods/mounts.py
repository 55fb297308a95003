"""Volumes as containers use them."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.apiserver.fielderrors import forbidden, invalid, not_found_value, required, unsupported
from wavetank.apiserver.validation.errors import Document, Errors, structs
from wavetank.apiserver.validation.paths import check_descending

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")


def check_mounts(container: Document, volumes: Mapping[str, Document], path: str) -> Errors:
    """Checks where a container sees volumes as directories."""
    seen: set[str] = set()
    devices = container.get("volumeDevices") or []
    for where, mount in structs(container, path, "volumeMounts"):
        name, target = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            yield required(f"{where}.name")
        if name not in volumes:
            yield not_found_value(f"{where}.name", name)
        if not target:
            yield required(f"{where}.mountPath")
        if target in seen:
            yield invalid(f"{where}.mountPath", target, "must be unique")
        seen.add(target)
        if name in (device.get("name") for device in devices):
            yield invalid(f"{where}.name", name, "must not already exist in volumeDevices")
        if target in (device.get("devicePath") for device in devices):
            yield invalid(f"{where}.mountPath", target, "must not already exist as a path in volumeDevices")
        yield from _check_details(mount, container, where, f"{path}.volumeMounts")


def check_devices(container: Document, volumes: Mapping[str, Document], path: str) -> Errors:
    """Checks where a container sees volumes as devices."""
    seen: set[str] = set()
    seen_paths: set[str] = set()
    for where, device in structs(container, path, "volumeDevices"):
        name, target = device.get("name", ""), device.get("devicePath", "")
        yield from _check_device_name(name, volumes, seen, where)
        if not target:
            yield required(f"{where}.devicePath")
        if target in seen_paths:
            yield invalid(f"{where}.devicePath", target, "must be unique")
        if ".." in target.split("/"):
            yield invalid(f"{where}.devicePath", target, "can not contain backsteps ('..')")
        else:
            seen_paths.add(target)
        mounts = container.get("volumeMounts") or []
        if name in (mount.get("name") for mount in mounts):
            yield invalid(f"{where}.name", name, "must not already exist in volumeMounts")
        if target in (mount.get("mountPath") for mount in mounts):
            yield invalid(f"{where}.devicePath", target, "must not already exist as a path in volumeMounts")
        seen.add(name)


def _check_device_name(name: str, volumes: Mapping[str, Document], seen: set[str], path: str) -> Errors:
    if not name:
        yield required(f"{path}.name")
    if name in seen and name:
        yield invalid(f"{path}.name", name, "must be unique")
    volume = volumes.get(name)
    if volume is None:
        yield not_found_value(f"{path}.name", name)
    elif not volume.keys() & {"persistentVolumeClaim", "ephemeral"}:
        problem = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        yield invalid(f"{path}.name", name, problem)


def _check_details(mount: Document, container: Document, where: str, path: str) -> Errors:
    if mount.get("subPath"):
        yield from check_descending(mount["subPath"], f"{path}.subPath")
    if mount.get("subPathExpr"):
        if mount.get("subPath"):
            problem = "subPathExpr and subPath are mutually exclusive"
            yield invalid(f"{where}.subPathExpr", mount["subPathExpr"], problem)
        yield from check_descending(mount["subPathExpr"], f"{path}.subPathExpr")
    if "mountPropagation" in mount:
        yield from _check_propagation(mount["mountPropagation"], container, f"{path}.mountPropagation")
    if "recursiveReadOnly" in mount:
        yield from _check_recursive(mount, f"{path}.recursiveReadOnly")


def _check_propagation(mode: str, container: Document, path: str) -> Errors:
    if mode not in _PROPAGATIONS:
        yield unsupported(path, mode, _PROPAGATIONS)
    if mode == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
        yield forbidden(path, "Bidirectional mount propagation is available only to privileged containers")


def _check_recursive(mount: Document, path: str) -> Errors:
    mode = mount["recursiveReadOnly"]
    if mode not in _RECURSIVE:
        yield unsupported(path, mode, _RECURSIVE)
    elif mode != "Disabled":
        if not mount.get("readOnly"):
            yield forbidden(path, "may only be specified when readOnly is true")
        if mount.get("mountPropagation", "None") != "None":
            yield forbidden(path, "may only be specified when mountPropagation is None or not specified")
