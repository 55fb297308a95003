"""Fields without managers: those that a path resets, whatever clients write there, and those of the server."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.structured import fieldsets
from wavetank.apiserver.structured.fieldsets import FieldSet
from wavetank.cluster.objects.groupkinds import GroupKind

_STATUS = fieldsets.of(("f:status",))
_SPEC = fieldsets.of(("f:spec",))
_ALL_BUT_STATUS = fieldsets.of(("f:spec",), ("f:metadata",))

_USUAL = {"": _STATUS, "status": _SPEC}
_STRICT = {"": _STATUS, "status": _ALL_BUT_STATUS}

# By GroupKind and subresource; ServiceCIDRs name their group wrongly in the real server and reset nothing.
_RESET: Mapping[str, Mapping[str, FieldSet]] = {
    "Pod": {
        "": _STATUS,
        "status": fieldsets.of(("f:spec",), ("f:metadata", "f:deletionTimestamp"), ("f:metadata", "f:ownerReferences")),
    },
    "Namespace": {"": _STATUS, "status": _SPEC, "finalize": _STATUS},
    "Node": _USUAL,
    "PersistentVolume": _USUAL,
    "PersistentVolumeClaim": _USUAL,
    "ReplicationController": _USUAL,
    "ResourceQuota": _USUAL,
    "Service": _USUAL,
    "DaemonSet.apps": _USUAL,
    "Deployment.apps": {"": _STATUS, "status": fieldsets.of(("f:spec",), ("f:metadata", "f:labels"))},
    "ReplicaSet.apps": _USUAL,
    "StatefulSet.apps": _USUAL,
    "HorizontalPodAutoscaler.autoscaling": _USUAL,
    "CronJob.batch": _USUAL,
    "Job.batch": _USUAL,
    "CertificateSigningRequest.certificates.k8s.io": {
        "": fieldsets.of(("f:spec",), ("f:status",)),
        "status": fieldsets.of(("f:spec",), ("f:status", "f:conditions")),
        "approval": fieldsets.of(("f:spec",), ("f:status", "f:certificate")),
    },
    "Ingress.networking.k8s.io": _USUAL,
    "PodDisruptionBudget.policy": _USUAL,
    "ResourceClaim.resource.k8s.io": _STRICT,
    "VolumeAttachment.storage.k8s.io": _STRICT,
    "FlowSchema.flowcontrol.apiserver.k8s.io": _STRICT,
    "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": _STRICT,
    "ValidatingAdmissionPolicy.admissionregistration.k8s.io": _STRICT,
    "CustomResourceDefinition.apiextensions.k8s.io": _STRICT,
    "APIService.apiregistration.k8s.io": _STRICT,
}


_HEAD = frozenset(("f:apiVersion", "f:kind"))
_OF_SERVER = frozenset(
    f"f:{name}"
    for name in (
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    )
)


def stripped(fields: FieldSet) -> FieldSet:
    """Returns a set without what names an object and what the server counts."""
    made = {element: below for element, below in fields.items() if element not in _HEAD}
    metadata = made.pop("f:metadata", None)
    if metadata is None:
        return made
    kept = {element: below for element, below in metadata.items() if element not in _OF_SERVER}
    kept.pop(fieldsets.SELF, None)
    return {**made, "f:metadata": kept} if kept else made


def reset_fields(kind: Kind | Subresource, group_kind: GroupKind, subresource: str, version: str) -> FieldSet:
    """Returns what a path of a kind resets, in a version of the kind: all below these fields.

    Paths of custom kinds know it of their own version only, those of their status of all.
    """
    if not isinstance(kind, Kind) or kind.custom is None:
        return _RESET.get(group_kind, {}).get(subresource, fieldsets.EMPTY)
    if not kind.custom.has_status or (not subresource and version != kind.api_version):
        return fieldsets.EMPTY
    return _USUAL.get(subresource, fieldsets.EMPTY)
