"""The strategies of all kinds, and the three ways to write an object."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.apiserver.custom.definition.strategy import prepare_definition, prepare_definition_update
from wavetank.apiserver.custom.strategy import prepare_custom, prepare_custom_status, prepare_custom_update
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds.kind import Kind
from wavetank.apiserver.strategies import core, devices, pods, workloads
from wavetank.apiserver.strategies.disabled import drop_disabled
from wavetank.apiserver.strategies.services import prepare_service_update
from wavetank.apiserver.strategies.strategy import Document, Strategy, Writing, strategy_of

_SPEC = ("spec",)
_RBAC = Strategy(own_status=False, create_on_update=True)
_STORAGE = ".storage.k8s.io"
_HOOKS = ".admissionregistration.k8s.io"

STRATEGIES: Mapping[str, Strategy] = {
    "Pod": Strategy(_SPEC, create=pods.prepare_pod, status=pods.prepare_pod_status),
    "PodTemplate": Strategy(("template",), own_status=False),
    "ReplicationController": Strategy(_SPEC),
    "Namespace": Strategy(create=core.prepare_namespace, update=core.prepare_namespace_update),
    "Node": Strategy(
        own_status=False, create=core.prepare_node, update=core.prepare_node_update, status=core.prepare_node_status
    ),
    "PersistentVolume": Strategy(create=core.prepare_persistent_volume, status=core.prepare_persistent_volume_status),
    "PersistentVolumeClaim": Strategy(create=core.prepare_claim, update=core.prepare_claim_update),
    "Service": Strategy(create_on_update=True, update=prepare_service_update),
    "ServiceAccount": Strategy(
        own_status=False, create=core.prepare_service_account, update=core.prepare_service_account_update
    ),
    "Endpoints": Strategy(own_status=False, create_on_update=True),
    "Event": Strategy(own_status=False, create_on_update=True),
    "LimitRange": Strategy(own_status=False, create_on_update=True),
    "Deployment.apps": Strategy(_SPEC, status_metadata="annotations"),
    "ReplicaSet.apps": Strategy(_SPEC),
    "StatefulSet.apps": Strategy(
        _SPEC, create=workloads.prepare_stateful_set, update=workloads.prepare_stateful_set_update
    ),
    "DaemonSet.apps": Strategy(
        _SPEC,
        create=workloads.prepare_daemon_set,
        update=workloads.prepare_daemon_set_update,
        status=workloads.prepare_daemon_set_status,
    ),
    "Job.batch": Strategy(_SPEC, create=workloads.prepare_job),
    "CronJob.batch": Strategy(_SPEC),
    "PodDisruptionBudget.policy": Strategy(_SPEC, unconditional_update=False),
    "Lease.coordination.k8s.io": Strategy(
        own_status=False,
        create_on_update=True,
        unconditional_update=False,
        create=core.prepare_lease,
        update=core.prepare_lease_update,
    ),
    "LeaseCandidate.coordination.k8s.io": Strategy(own_status=False, create_on_update=True, unconditional_update=False),
    "PriorityClass.scheduling.k8s.io": Strategy((), own_status=False),
    "EndpointSlice.discovery.k8s.io": Strategy(
        ("addressType", "endpoints", "ports"),
        own_status=False,
        create=core.prepare_endpoint_slice,
        update=core.prepare_endpoint_slice_update,
    ),
    "Ingress.networking.k8s.io": Strategy(_SPEC),
    "IngressClass.networking.k8s.io": Strategy(_SPEC, own_status=False),
    "NetworkPolicy.networking.k8s.io": Strategy(_SPEC, own_status=False),
    "ServiceCIDR.networking.k8s.io": Strategy(own_status=False, status_metadata="none"),
    "RuntimeClass.node.k8s.io": Strategy(own_status=False, create_on_update=True, unconditional_update=False),
    "Role.rbac.authorization.k8s.io": _RBAC,
    "RoleBinding.rbac.authorization.k8s.io": _RBAC,
    "ClusterRole.rbac.authorization.k8s.io": _RBAC,
    "ClusterRoleBinding.rbac.authorization.k8s.io": _RBAC,
    f"CSIDriver{_STORAGE}": Strategy(_SPEC, own_status=False, unconditional_update=False),
    f"CSINode{_STORAGE}": Strategy(own_status=False, unconditional_update=False),
    f"CSIStorageCapacity{_STORAGE}": Strategy(own_status=False, unconditional_update=False),
    f"VolumeAttachment{_STORAGE}": Strategy(status_metadata="none", unconditional_update=False),
    "ResourceClaim.resource.k8s.io": Strategy(
        status_metadata="none",
        create=devices.prepare_claim,
        update=devices.prepare_claim_update,
        status=devices.prepare_claim_status,
    ),
    "ResourceClaimTemplate.resource.k8s.io": Strategy(
        own_status=False, create=devices.prepare_claim_template, update=devices.prepare_claim_template_update
    ),
    "DeviceClass.resource.k8s.io": Strategy(
        _SPEC, own_status=False, create=devices.prepare_class, update=devices.prepare_class_update
    ),
    "ResourceSlice.resource.k8s.io": Strategy(
        _SPEC, own_status=False, create=devices.prepare_slice, update=devices.prepare_slice_update
    ),
    "FlowSchema.flowcontrol.apiserver.k8s.io": Strategy(_SPEC, status_metadata="none"),
    "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": Strategy(_SPEC, status_metadata="none"),
    f"ValidatingAdmissionPolicy{_HOOKS}": Strategy(_SPEC, status_metadata="none", unconditional_update=False),
    f"ValidatingAdmissionPolicyBinding{_HOOKS}": Strategy(_SPEC, own_status=False, unconditional_update=False),
    f"ValidatingWebhookConfiguration{_HOOKS}": Strategy(("webhooks",), own_status=False, unconditional_update=False),
    f"MutatingWebhookConfiguration{_HOOKS}": Strategy(("webhooks",), own_status=False, unconditional_update=False),
    "CertificateSigningRequest.certificates.k8s.io": Strategy(
        create=core.prepare_signing_request, update=lambda new, old, _: new.update(spec=old["spec"])
    ),
    "CustomResourceDefinition.apiextensions.k8s.io": Strategy(
        _SPEC, unconditional_update=False, create=prepare_definition, update=prepare_definition_update
    ),
    "APIService.apiregistration.k8s.io": Strategy(status_metadata="none", unconditional_update=False),
}
# Kinds whose generation begins with 1 or counts, though a change of no field is counted or the first is not.
_ONCE = frozenset({"PriorityClass.scheduling.k8s.io"})
_LATE = frozenset({f"CSIDriver{_STORAGE}"})


def allows_create_on_update(kind: Kind) -> bool:
    """Tells whether a PUT to a name that is not there creates the object."""
    return strategy_of(kind, STRATEGIES).create_on_update


def allows_unconditional_update(kind: Kind) -> bool:
    """Tells whether a PUT may leave out the resource version."""
    return strategy_of(kind, STRATEGIES).unconditional_update


def gains_defaults(kind: Kind, document: Document) -> bool:
    """Tells whether an object, as it was made, lacks defaults in the real store, which its first write then adds.

    Nobody sees the difference, but that write makes a new version even if it changes nothing.
    """
    if kind.group_kind == "PersistentVolumeClaim":
        return True
    if kind.group_kind != "Job.batch" or document["spec"].get("manualSelector"):
        return False
    generated = (document["spec"]["template"].get("metadata") or {}).get("labels")
    return bool(document["metadata"].get("labels") == generated)


def prepare_create(kind: Kind, document: Document, writing: Writing) -> None:
    """Completes a new object, in place. Its name, uid and namespace must be set already."""
    if kind.custom is not None:
        prepare_custom(kind.custom, document)
        return
    strategy = strategy_of(kind, STRATEGIES)
    drop_disabled(_pod_spec(kind, document))
    if strategy.own_status and strategy.create is None:
        document.pop("status", None)
    if strategy.create is not None:
        strategy.create(document, writing)
    if (strategy.counted or kind.group_kind in _ONCE) and kind.group_kind not in _LATE:
        document["metadata"]["generation"] = 1
    set_defaults(kind, document)  # what is stored is read back with its defaults


def prepare_update(kind: Kind, new: Document, old: Document, writing: Writing) -> None:
    """Makes a changed object ready to replace the old one, in place: keeps what a client may not change."""
    if kind.custom is not None:
        prepare_custom_update(kind.custom, new, old)
        _carry_over(new, old)
        return
    strategy = strategy_of(kind, STRATEGIES)
    drop_disabled(_pod_spec(kind, new))
    _keep_generation(new, old)
    if strategy.own_status and "status" in old:
        new["status"] = old["status"]
    if strategy.update is not None:
        strategy.update(new, old, writing)
    if strategy.counted:
        pods.count_generation(new, old, strategy.counted)
    if kind.group_kind in _COUNTED_METADATA:
        _count_metadata(new, old, _COUNTED_METADATA[kind.group_kind])
    _carry_over(new, old)
    set_defaults(kind, new)


def prepare_status(kind: Kind, new: Document, old: Document, writing: Writing) -> None:
    """Makes an object written to the status subresource ready: all but the status, and some metadata, is the old."""
    if kind.custom is not None:
        prepare_custom_status(new, old)
        return
    strategy = strategy_of(kind, STRATEGIES)
    _keep_generation(new, old)
    for name in old.keys() - {"status", "metadata"}:
        new[name] = old[name]
    if strategy.status_metadata == "none":
        pods.keep_metadata(new, old)
    elif strategy.status_metadata == "annotations":
        _restore(new["metadata"], old["metadata"], "labels")
    new.setdefault("status", {})
    if strategy.status is not None:
        strategy.status(new, old, writing)
    _carry_over(new, old)
    set_defaults(kind, new)


def prepare_finalize(kind: Kind, new: Document, old: Document, writing: Writing) -> None:
    """Makes a namespace written to the finalize subresource ready: its status is the old."""
    _keep_generation(new, old)
    new["status"] = old["status"]
    _carry_over(new, old)
    set_defaults(kind, new)


# Deployments count annotations too, slices of endpoints their labels.
_COUNTED_METADATA = {"Deployment.apps": "annotations", "EndpointSlice.discovery.k8s.io": "labels"}


_TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "Pod": ("spec",),
    "PodTemplate": ("template", "spec"),
    "CronJob.batch": ("spec", "jobTemplate", "spec", "template", "spec"),
    **dict.fromkeys(
        (
            "ReplicationController",
            "Deployment.apps",
            "ReplicaSet.apps",
            "StatefulSet.apps",
            "DaemonSet.apps",
            "Job.batch",
        ),
        ("spec", "template", "spec"),
    ),
}


def _pod_spec(kind: Kind, document: Document) -> Document | None:
    """Returns the spec of the pods that an object is or makes."""
    if kind.group_kind not in _TEMPLATES:
        return None
    found = document
    for name in _TEMPLATES[kind.group_kind]:
        found = found.get(name) or {}
    return found


def _count_metadata(new: Document, old: Document, name: str) -> None:
    before = old["metadata"].get("generation") or 0
    changed = (new["metadata"].get(name) or {}) != (old["metadata"].get(name) or {})
    if changed and new["metadata"].get("generation") == before:
        new["metadata"]["generation"] = before + 1


def _keep_generation(new: Document, old: Document) -> None:
    _restore(new["metadata"], old["metadata"], "generation")


def _restore(new: Document, old: Document, name: str) -> None:
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)


def _carry_over(new: Document, old: Document) -> None:
    """Keeps the metadata that no update can remove."""
    metadata, before = new["metadata"], old["metadata"]
    metadata["uid"] = metadata.get("uid") or before.get("uid", "")
    for name in ("creationTimestamp", "deletionTimestamp"):
        if before.get(name):
            metadata[name] = before[name]
    if "deletionGracePeriodSeconds" in before:
        metadata.setdefault("deletionGracePeriodSeconds", before["deletionGracePeriodSeconds"])
