"""Volumes of the cluster."""

from __future__ import annotations

import posixpath

from wavetank.apiserver.fielderrors import forbidden, invalid, required, unsupported
from wavetank.apiserver.gotypes.internal import difference, internal
from wavetank.apiserver.gotypes.table import internal_fields_of
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import (
    NOT_POSITIVE,
    Document,
    Errors,
    by_key,
    check_immutable,
    check_present,
    each_invalid,
)
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.apiserver.validation.paths import check_no_backsteps
from wavetank.apiserver.validation.pods.placement import check_node_selector
from wavetank.apiserver.validation.pods.volumes import (
    check_driver_name,
    check_host_path,
    check_nfs,
    check_volume_source,
)
from wavetank.apiserver.validation.storage.claims import VOLUME_MODES, check_basic_amount, check_modes
from wavetank.quantity import value_of

_POLICIES = ("Delete", "Recycle", "Retain")
_ORDER = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
)
_NEWER = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}
_SECRETS = ("controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef")


def check_persistent_volume(volume: Document) -> Errors:
    """Checks a new volume."""
    yield from check_metadata(volume["metadata"], False, names.subdomain_problems)
    spec = volume["spec"]
    if not spec.get("accessModes"):
        yield required("spec.accessModes")
    yield from check_modes(spec, "spec")
    yield from _check_capacity(spec.get("capacity") or {})
    policy = spec.get("persistentVolumeReclaimPolicy")
    if policy and policy not in _POLICIES:
        yield unsupported("spec.persistentVolumeReclaimPolicy", policy, _POLICIES)
    yield from _check_affinity(spec.get("nodeAffinity"))
    yield from _check_source(spec)
    yield from _check_rest(spec)


def check_persistent_volume_update(new: Document, old: Document) -> Errors:
    """Checks a changed volume: what it is may not change. As in the real server, the rest is checked twice."""
    yield from check_persistent_volume(new)
    yield from check_persistent_volume(new)
    before = _source(old["spec"])
    source = _without_added_secret(_source(new["spec"]), before)
    if source != before:
        changes = difference("core.PersistentVolumeSource", before, source)
        problem = "spec.persistentvolumesource is immutable after creation"
        yield forbidden("spec.persistentvolumesource", f"{problem}\n{changes}")
    yield from check_immutable("volumeMode", new["spec"].get("volumeMode"), old["spec"].get("volumeMode"))
    affinity, known = new["spec"].get("nodeAffinity"), old["spec"].get("nodeAffinity")
    if known is not None and _with_new_labels(known, affinity) != affinity:
        shown = internal("core.VolumeNodeAffinity", affinity) if affinity is not None else None
        yield invalid("nodeAffinity", shown, "field is immutable, except for updating from beta label to GA")


def check_persistent_volume_status_update(new: Document, old: Document) -> Errors:
    """Checks a volume's status."""
    return check_metadata_update(new["metadata"], old["metadata"])


def _with_new_labels(known: Document, affinity: Document | None) -> Document:
    """Returns the old choice of nodes with labels renamed where the new choice uses the newer name of the label.

    As in the real server, no key at all counts as the newer name of every label that has none.
    """
    terms = (known.get("required") or {}).get("nodeSelectorTerms") or []
    wanted = ((affinity or {}).get("required") or {}).get("nodeSelectorTerms") or []
    if len(terms) != len(wanted):
        return known
    renamed = [_renamed(term, new) for term, new in zip(terms, wanted, strict=True)]
    return {**known, "required": {**known["required"], "nodeSelectorTerms": renamed}}


def _renamed(term: Document, new: Document) -> Document:
    result = dict(term)
    for kind in ("matchExpressions", "matchFields"):
        pairs = list(zip(term.get(kind) or (), new.get(kind) or (), strict=False))
        if len(pairs) == len(term.get(kind) or ()) == len(new.get(kind) or ()) and pairs:
            result[kind] = [
                {**old, "key": one["key"]} if _NEWER.get(old.get("key", ""), "") == one.get("key") else old
                for old, one in pairs
            ]
    return result


def _source(spec: Document) -> Document:
    kinds = {field.name for field in internal_fields_of("core.PersistentVolumeSource")}
    return {name: value for name, value in spec.items() if name in kinds}


def _without_added_secret(source: Document, before: Document) -> Document:
    """Returns a source without the one secret that may be added later."""
    name = "controllerExpandSecretRef"
    if "csi" not in source or "csi" not in before or name in before["csi"]:
        return source
    return {**source, "csi": {key: value for key, value in source["csi"].items() if key != name}}


def _check_capacity(capacity: Document) -> Errors:
    if not capacity:
        yield required("spec.capacity")
    if {*capacity} != {"storage"}:
        yield unsupported("spec.capacity", by_key(capacity), ("storage",))
    for name, amount in capacity.items():
        yield from check_basic_amount(amount, f"spec.capacity[{name}]")
        if value_of(amount) <= 0:
            yield invalid(f"spec.capacity[{name}]", amount, NOT_POSITIVE)


def _check_affinity(affinity: Document | None) -> Errors:
    if affinity is None:
        return
    if affinity.get("required") is None:
        yield required("spec.nodeAffinity.required", "must specify required node constraints")
    else:
        yield from check_node_selector(affinity["required"], "spec.nodeAffinity.required")


def _check_source(spec: Document) -> Errors:
    kinds = [kind for kind in _ORDER if kind in spec]
    for kind in kinds[1:]:
        if kind != "flexVolume":  # which the real server does not count
            shown = "cephFS" if kind == "cephfs" else kind
            yield forbidden(f"spec.{shown}", "may not specify more than 1 volume type")
    if not kinds:
        yield required("spec", "must specify a volume type")
        return
    kind, path = kinds[0], f"spec.{kinds[0]}"
    if kind == "hostPath":
        yield from check_host_path(spec[kind], path)
    elif kind == "nfs":
        yield from check_nfs(spec[kind], path)
    elif kind == "local":
        yield from _check_local(spec, path)
    elif kind == "csi":
        yield from _check_csi(spec[kind], path)
    else:
        yield from check_volume_source(spec[kind], kind, path)


def _check_local(spec: Document, path: str) -> Errors:
    target = spec["local"].get("path", "")
    if not target:
        yield required(f"{path}.path")
    else:
        yield from check_no_backsteps(target, f"{path}.path")
    if "nodeAffinity" not in spec:
        yield required("spec.nodeAffinity", "Local volume requires node affinity")


def _check_csi(source: Document, path: str) -> Errors:
    yield from check_driver_name(source.get("driver", ""), f"{path}.driver")
    yield from check_present(source, path, "volumeHandle")
    for name in _SECRETS:
        if name in source:
            yield from _check_secret(source[name], f"{path}.{name}")


def _check_secret(secret: Document, path: str) -> Errors:
    yield from check_present(secret, path, "name", "namespace")
    if secret.get("name"):
        yield from each_invalid(f"{path}.name", secret["name"], names.subdomain_problems(secret["name"]))
    if secret.get("namespace"):
        yield from each_invalid(f"{path}.namespace", secret["namespace"], names.label_problems(secret["namespace"]))


def _check_rest(spec: Document) -> Errors:
    target = (spec.get("hostPath") or {}).get("path")
    if target and posixpath.normpath(target) == "/" and spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        problem = "may not be 'recycle' for a hostPath mount of '/'"
        yield forbidden("spec.persistentVolumeReclaimPolicy", problem)
    if spec.get("storageClassName"):
        problems = names.subdomain_problems(spec["storageClassName"])
        yield from each_invalid("spec.storageClassName", spec["storageClassName"], problems)
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        yield unsupported("spec.volumeMode", mode, VOLUME_MODES)
    given = spec.get("volumeAttributesClassName")
    if given is not None:
        if not given:
            yield required("spec.volumeAttributesClassName", "an empty string is disallowed")
        yield from each_invalid(
            "spec.volumeAttributesClassName", given, names.subdomain_problems(given) if given else ()
        )
        if "csi" not in spec:
            yield required("spec.csi", "has to be specified when using volumeAttributesClassName")
