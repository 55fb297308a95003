"""Warnings about valid objects."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from wavetank.apiserver.custom.definition.strategy import definition_warnings
from wavetank.apiserver.custom.strategy import custom_warnings
from wavetank.apiserver.kinds.kind import Kind
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, structs
from wavetank.apiserver.validation.pods.podwarnings import (
    NODE_LABELS,
    VOLUMES,
    Warnings,
    claim_spec_warnings,
    pod_warnings,
    term_warnings,
)
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.quantity import value_of

# The path to the pod template of a kind, and whether the names of its pods begin with its own.
_TEMPLATES: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "PodTemplate": (("template",), False),
    "ReplicationController": (("spec", "template"), True),
    "Deployment.apps": (("spec", "template"), True),
    "ReplicaSet.apps": (("spec", "template"), True),
    "StatefulSet.apps": (("spec", "template"), False),
    "DaemonSet.apps": (("spec", "template"), False),
    "Job.batch": (("spec", "template"), True),
    "CronJob.batch": (("spec", "jobTemplate", "spec", "template"), True),
}
_SURPRISING = "which can result in surprising behavior; a DNS label is recommended"
_TOKENS = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible"
    " logging of tokens in volume attributes"
)
_DEFINITION = "CustomResourceDefinition.apiextensions.k8s.io"
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
_MOUNTABLE = "kubernetes.io/enforce-mountable-secrets"


# The warning that every use of a kind gets.
_DEPRECATED: Mapping[GroupKind, str] = {
    "ComponentStatus": "v1 ComponentStatus is deprecated in v1.19+",
    "Endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}


def use_warning(kind: Kind) -> str:
    """Returns the warning that every use of a deprecated kind or version gets; "" for others."""
    return kind.custom.warning if kind.custom is not None else _DEPRECATED.get(kind.group_kind, "")


def create_warnings(kind: Kind, document: Document) -> list[str]:
    """Returns warnings about a new object."""
    if kind.custom is not None:
        return list(custom_warnings(kind.custom, document))
    if kind.group_kind == _DEFINITION:
        return list(definition_warnings(document))
    name, spec = document["metadata"].get("name", ""), document.get("spec") or {}
    warnings: list[str] = []
    if kind.group_kind == "Pod":
        warnings += _name_warnings(name, "the Pod's hostname")
        warnings += pod_warnings(document["metadata"], spec)
    elif kind.group_kind in _TEMPLATES:
        if _TEMPLATES[kind.group_kind][1]:
            warnings += _name_warnings(name, "Pod names and hostnames")
        warnings += _template_warnings(kind, document)
    elif kind.group_kind == "ResourceQuota":
        warnings += _quota_warnings(spec.get("hard") or {})
    elif kind.group_kind == "EndpointSlice.discovery.k8s.io" and document.get("addressType") == "FQDN":
        warnings.append("spec.addressType: FQDN endpoints are deprecated")
    return [*warnings, *_always(kind, document, None)]


def update_warnings(kind: Kind, new: Document, old: Document) -> list[str]:
    """Returns warnings about a changed object; about its pods only if they change."""
    if kind.custom is not None:
        return list(custom_warnings(kind.custom, new, old))
    if kind.group_kind == _DEFINITION:
        return list(definition_warnings(new, old))
    warnings: list[str] = []
    if kind.group_kind in _TEMPLATES and new["metadata"].get("generation") != old["metadata"].get("generation"):
        # The real server looks at the old template of a replication controller.
        warnings += _template_warnings(kind, old if kind.group_kind == "ReplicationController" else new)
    return [*warnings, *_always(kind, new, old)]


def _name_warnings(name: str, use: str) -> Warnings:
    problems = names.label_problems(name)
    if problems:
        yield f"metadata.name: this is used in {use}, {_SURPRISING}: [{' '.join(problems)}]"


def _template_warnings(kind: Kind, document: Document) -> Warnings:
    path = _TEMPLATES[kind.group_kind][0]
    template = document
    for part in path:
        template = template.get(part) or {}
    yield from pod_warnings(template.get("metadata") or {}, template.get("spec") or {}, f"{'.'.join(path)}.")


def _always(kind: Kind, document: Document, old: Document | None) -> Warnings:
    spec, metadata = document.get("spec") or {}, document["metadata"]
    match kind.group_kind:
        case "StatefulSet.apps":
            for where, claim in structs(spec, "spec", "volumeClaimTemplates"):
                yield from claim_spec_warnings(claim.get("spec") or {}, where)
            if (spec.get("revisionHistoryLimit") or 0) < 0:
                retains = "a negative value retains all historical revisions; a value >= 0 is recommended"
                yield f"spec.revisionHistoryLimit: {retains}"
        case "ResourceSlice.resource.k8s.io":
            driver = spec.get("driver") or ""
            if driver != driver.lower():
                yield f"spec.driver: driver names should be lowercase; {quote(driver)} contains uppercase characters"
        case "PersistentVolumeClaim":
            if _BETA_CLASS in (metadata.get("annotations") or {}):
                use = 'deprecated since v1.8; use "storageClassName" attribute instead'
                yield f"metadata.annotations[{_BETA_CLASS}]: {use}"
            yield from claim_spec_warnings(spec, "spec")
        case "PersistentVolume":
            yield from _volume_warnings(metadata, spec)
        case "Service":
            yield from _service_warnings(spec)
        case "Secret":
            yield from _secret_warnings(document)
        case "Node":
            if spec.get("externalID"):
                yield "spec.externalID: this field is deprecated, and is unused by Kubernetes"
        case "StorageClass.storage.k8s.io":
            yield from _class_warnings(document)
        case "ServiceAccount":
            newly = _MOUNTABLE not in (((old or {}).get("metadata") or {}).get("annotations") or {})
            if newly and _MOUNTABLE in (metadata.get("annotations") or {}):
                use = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
                yield f"metadata.annotations[{_MOUNTABLE}]: {use}"
        case "CSIDriver.storage.k8s.io":
            changed = old is None or (old.get("spec") or {}).get("tokenRequests") != spec.get("tokenRequests")
            if changed and spec.get("tokenRequests") and spec.get("serviceAccountTokenInSecrets") is None:
                yield _TOKENS


def _volume_warnings(metadata: Document, spec: Document) -> Warnings:
    if _BETA_CLASS in (metadata.get("annotations") or {}):
        use = 'deprecated since v1.8; use "storageClassName" attribute instead'
        yield f"metadata.annotations[{_BETA_CLASS}]: {use}"
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        deprecated = "The Recycle reclaim policy is deprecated."
        instead = "Instead, the recommended approach is to use dynamic provisioning."
        yield f"spec.persistentVolumeReclaimPolicy: {deprecated} {instead}"
    terms = (spec.get("nodeAffinity") or {}).get("required") or {}
    for where, term in structs(terms, "spec.nodeAffinity.required", "nodeSelectorTerms"):
        yield from term_warnings(term, where, values=False)
    for kind in ("cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"):
        if kind in spec:
            yield f"spec.{VOLUMES[kind][0]}: {VOLUMES[kind][1]}"


def _service_warnings(spec: Document) -> Warnings:
    if spec.get("clusterIPs") == ["None"]:
        for name in ("loadBalancerIP", "externalIPs"):
            if spec.get(name):
                yield f"spec.{name} is ignored for headless services"
        if spec.get("sessionAffinity") != "None":
            yield "spec.SessionAffinity is ignored for headless services"
    if spec.get("type") == "ExternalName" and spec.get("externalIPs"):
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if spec.get("type") != "ExternalName" and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _secret_warnings(secret: Document) -> Warnings:
    """Warns of a certificate or key that is none; whether they belong together is not found out."""
    if secret.get("type") != "kubernetes.io/tls":
        return
    for key, shown in (("tls.crt", "certificate"), ("tls.key", "key")):
        try:
            text = base64.b64decode((secret.get("data") or {}).get(key, ""))
        except binascii.Error:
            text = b""
        if b"-----BEGIN" not in text:
            yield f"tls: failed to find any PEM data in {shown} input"
            return


def _class_warnings(storage_class: Document) -> Warnings:
    for index, term in enumerate(storage_class.get("allowedTopologies") or ()):
        for where, expression in structs(term, f"allowedTopologies[{index}]", "matchLabelExpressions"):
            if expression.get("key") in NODE_LABELS:
                yield f"{where}.key: {NODE_LABELS[expression['key']]}"


def _quota_warnings(hard: Document) -> Warnings:
    for resource in ("cpu", "memory", "ephemeral-storage"):
        request = f"requests.{resource}"
        if request not in hard and resource != "ephemeral-storage" and resource in hard:
            request = resource
        limit = f"limits.{resource}"
        if request in hard and limit in hard and value_of(hard[request]) > value_of(hard[limit]):
            yield f"ResourceQuota {request} ({hard[request]}) should be less than {limit} ({hard[limit]})"
