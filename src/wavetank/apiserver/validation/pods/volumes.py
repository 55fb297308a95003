"""Volumes of pods."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, required, too_long, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_choice, check_present, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_template_metadata
from wavetank.apiserver.validation.paths import check_descending, check_no_backsteps, check_not_reserved
from wavetank.apiserver.validation.pods.environment import OF_FILES, check_field_reference, check_resource_reference
from wavetank.apiserver.validation.storage.claims import check_claim_spec
from wavetank.cel.gotext import quote
from wavetank.quantity import value_of

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
HOST_PATH_TYPES = ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "gcePersistentDisk": ("pdName",),
    "awsElasticBlockStore": ("volumeID",),
    "glusterfs": ("endpoints", "path"),
    "iscsi": ("targetPortal", "iqn"),
    "rbd": ("monitors", "image"),
    "cinder": ("volumeID",),
    "cephfs": ("monitors",),
    "azureFile": ("secretName", "shareName"),
    "azureDisk": ("diskName", "diskURI"),
    "vsphereVolume": ("volumePath",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "scaleIO": ("gateway", "system", "volumeName"),
    "flexVolume": ("driver",),
    "quobyte": ("registry", "volume"),
    "storageos": ("volumeName",),
}
# As the real server calls them where there are too many.
_MISNAMED = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_ORDER = (
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
)


def check_volumes(spec: Document, pod: Document | None, path: str) -> tuple[list[FieldError], dict[str, Document]]:
    """Checks the volumes of a pod (`pod`: its metadata, unless it is a template).

    Returns what is wrong, and the volumes that are fine by their names: only those can be mounted.
    """
    errors: list[FieldError] = []
    fine: dict[str, Document] = {}
    pod_name = (pod or {}).get("name") or ""
    made = {f"{pod_name}-{one.get('name', '')}" for one in spec.get("volumes") or () if pod_name and "ephemeral" in one}
    for where, volume in structs(spec, path, "volumes"):
        found: list[FieldError] = [*_check_volume(volume, pod_name, where), *_check_name(volume, fine, where)]
        errors.extend(found)
        if not found:
            fine[volume["name"]] = volume
        errors.extend(_check_claimed(volume, made, where))
    return errors, fine


def check_volume_source(source: Document, kind: str, path: str, in_pod: bool = True) -> Errors:
    """Checks one source of a volume."""
    check = _CHECKS.get(kind)
    if check is not None:
        yield from check(source, path)
    elif kind == "image":
        if in_pod and not source.get("reference"):
            yield required(f"{path}.reference")
        yield from check_choice(f"{path}.pullPolicy", source.get("pullPolicy"), PULL_POLICIES)
    elif kind in _OTHERS:
        yield from check_present(source, path, *_OTHERS[kind])


def check_host_path(source: Document, path: str) -> Errors:
    """Checks a path on the node."""
    if not source.get("path"):
        yield required(f"{path}.path")
        return
    yield from check_no_backsteps(source["path"], f"{path}.path")
    if source.get("type", "") not in HOST_PATH_TYPES:
        yield unsupported(f"{path}.type", source["type"], HOST_PATH_TYPES)


def check_nfs(source: Document, path: str) -> Errors:
    """Checks a directory of an NFS server."""
    yield from check_present(source, path, "server", "path")
    if not source.get("path", "").startswith("/"):
        yield invalid(f"{path}.path", source.get("path", ""), "must be an absolute path")


def check_driver_name(name: str, path: str) -> Errors:
    """Checks the name of a CSI driver."""
    if not name:
        yield required(path)
        return
    if len(name.encode()) > 63:
        yield too_long(path, 63)
    yield from each_invalid(path, name, names.subdomain_problems(name.lower()))


def _check_volume(volume: Document, pod_name: str, path: str) -> Errors:
    kinds = [kind for kind in _ORDER if kind in volume]
    for kind in kinds[1:]:
        yield forbidden(f"{path}.{_MISNAMED.get(kind, kind)}", "may not specify more than 1 volume type")
    if not kinds:
        yield required(path, "must specify a volume type")
        return
    shown = "persistentDisk" if kinds[0] == "gcePersistentDisk" else kinds[0]
    yield from check_volume_source(volume[kinds[0]], kinds[0], f"{path}.{shown}", bool(pod_name))
    if kinds[0] == "ephemeral" and pod_name and volume.get("name"):
        claim = f"{pod_name}-{volume['name']}"
        problems = (f"PVC name {quote(claim)}: {problem}" for problem in names.subdomain_problems(claim))
        yield from each_invalid(f"{path}.name", volume["name"], problems)


def _check_name(volume: Document, others: Mapping[str, Document], path: str) -> Errors:
    name = volume.get("name") or ""
    if not name:
        yield required(f"{path}.name")
    else:
        yield from each_invalid(f"{path}.name", name, names.label_problems(name))
    if name in others:
        yield duplicate(f"{path}.name", name)


def _check_claimed(volume: Document, made: set[str], path: str) -> Errors:
    claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
    if claim in made and claim:
        problem = "must not reference a PVC that gets created for an ephemeral volume"
        yield invalid(f"{path}.persistentVolumeClaim.claimName", claim, problem)


def _check_mode(owner: Document, name: str, path: str) -> Errors:
    mode = owner.get(name)
    if mode is not None and not 0 <= mode <= 0o777:
        yield invalid(f"{path}.{name}", mode, _MODE)


def _check_empty_dir(source: Document, path: str) -> Errors:
    if "sizeLimit" in source and value_of(source["sizeLimit"]) < 0:
        yield forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def _check_git(source: Document, path: str) -> Errors:
    yield from check_present(source, path, "repository")
    yield from check_descending(source.get("directory", ""), f"{path}.directory")


def _check_files(name: str) -> Callable[[Document, str], Errors]:
    def check(source: Document, path: str) -> Errors:
        yield from check_present(source, path, name)
        yield from _check_mode(source, "defaultMode", path)
        for where, item in structs(source, path, "items"):
            yield from _check_item(item, where)

    return check


def _check_item(item: Document, path: str) -> Errors:
    yield from check_present(item, path, "key", "path")
    yield from check_not_reserved(item.get("path", ""), f"{path}.path")
    yield from _check_mode(item, "mode", path)


def _check_claim(source: Document, path: str) -> Errors:
    yield from check_present(source, path, "claimName")


def _check_downward(source: Document, path: str) -> Errors:
    yield from _check_mode(source, "defaultMode", path)
    for file in source.get("items") or ():
        yield from _check_downward_file(file, path)


def _check_downward_file(file: Document, path: str) -> Errors:
    yield from check_present(file, path, "path")
    yield from check_not_reserved(file.get("path", ""), f"{path}.path")
    if "fieldRef" in file:
        yield from check_field_reference(file["fieldRef"], OF_FILES, f"{path}.fieldRef")
        if "resourceFieldRef" in file:
            yield invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    elif "resourceFieldRef" in file:
        yield from check_resource_reference(file["resourceFieldRef"], True, f"{path}.resourceFieldRef")
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from _check_mode(file, "mode", path)


def _check_projected(source: Document, path: str) -> Errors:
    yield from _check_mode(source, "defaultMode", path)
    seen: set[str] = set()
    for where, part in structs(source, path, "sources"):
        for kind in ("secret", "configMap"):
            if kind in part:
                yield from _check_projected_files(part[kind], seen, f"{where}.{kind}", path)
        for file in (part.get("downwardAPI") or {}).get("items") or ():
            yield from _check_downward_file(file, f"{where}.downwardAPI")
            yield from _check_once(file.get("path", ""), file.get("path", ""), seen, path)
        if "serviceAccountToken" in part:
            yield from _check_token(part["serviceAccountToken"], f"{where}.serviceAccountToken", path)
        if len(part.keys() & {"secret", "configMap", "downwardAPI", "serviceAccountToken"}) > 1:
            yield forbidden(where, "may not specify more than 1 volume type per source")


def _check_projected_files(part: Document, seen: set[str], where: str, path: str) -> Errors:
    yield from check_present(part, where, "name")
    for place, item in structs(part, where, "items"):
        yield from _check_item(item, place)
        yield from _check_once(item.get("path", ""), part.get("name", ""), seen, path)


def _check_once(file: str, shown: str, seen: set[str], path: str) -> Errors:
    if file and file in seen:
        yield invalid(path, shown, "conflicting duplicate paths")
    seen.add(file)


def _check_token(token: Document, where: str, path: str) -> Errors:
    seconds = token.get("expirationSeconds", 0)
    if seconds < 600:
        yield invalid(f"{where}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
    if seconds > 2**32:
        yield invalid(f"{where}.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")
    if not token.get("path"):
        yield required(f"{path}.path")
    else:
        yield from check_not_reserved(token["path"], f"{path}.path")


def _check_csi(source: Document, path: str) -> Errors:
    yield from check_driver_name(source.get("driver", ""), f"{path}.driver")
    if "nodePublishSecretRef" in source:
        name = source["nodePublishSecretRef"].get("name", "")
        if not name:
            yield required(f"{path}.nodePublishSecretRef.name")
        else:
            yield from each_invalid(f"{path}.name", name, names.subdomain_problems(name))


def _check_ephemeral(source: Document, path: str) -> Errors:
    template, where = source.get("volumeClaimTemplate"), f"{path}.volumeClaimTemplate"
    if template is None:
        yield required(where)
        return
    yield from check_template_metadata(template.get("metadata") or {}, f"{where}.metadata")
    yield from check_claim_spec(template.get("spec") or {}, f"{where}.spec")


_CHECKS: Mapping[str, Callable[[Document, str], Errors]] = {
    "emptyDir": _check_empty_dir,
    "hostPath": check_host_path,
    "gitRepo": _check_git,
    "secret": _check_files("secretName"),
    "configMap": _check_files("name"),
    "persistentVolumeClaim": _check_claim,
    "nfs": check_nfs,
    "downwardAPI": _check_downward,
    "projected": _check_projected,
    "csi": _check_csi,
    "ephemeral": _check_ephemeral,
}
