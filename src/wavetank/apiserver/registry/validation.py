"""The validation of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from wavetank.apiserver.custom.definition.checks import (
    check_definition,
    check_definition_status,
    check_definition_update,
)
from wavetank.apiserver.custom.strategy import validate_custom, validate_custom_status, validate_custom_update
from wavetank.apiserver.features import SCALE_TO_ZERO
from wavetank.apiserver.fielderrors import ENOUGH, FieldError
from wavetank.apiserver.kinds.kind import Kind
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.admission import policies, webhooks
from wavetank.apiserver.validation.core import configuration, events, limits, nodes, rbac
from wavetank.apiserver.validation.devices import devices
from wavetank.apiserver.validation.errors import Document, Errors
from wavetank.apiserver.validation.metadata import check_common_metadata, check_metadata, check_metadata_update
from wavetank.apiserver.validation.network import addresses, endpoints, networking, services
from wavetank.apiserver.validation.pods import pods, podupdates
from wavetank.apiserver.validation.server import certificates, flowcontrol, registration
from wavetank.apiserver.validation.storage import claims, persistentvolumes, storage
from wavetank.apiserver.validation.workloads import apps, autoscaling, jobs, jobstatus, policy
from wavetank.cluster.objects.groupkinds import GroupKind

T = TypeVar("T")
Check = Callable[[Document], Errors]
CheckUpdate = Callable[[Document, Document], Errors]

_RBAC = ".rbac.authorization.k8s.io"
_STORAGE = ".storage.k8s.io"
_NETWORK = ".networking.k8s.io"
_RESOURCE = ".resource.k8s.io"
_ADMISSION = ".admissionregistration.k8s.io"
_DEFINITION = "CustomResourceDefinition.apiextensions.k8s.io"
_FLOW = ".flowcontrol.apiserver.k8s.io"
_SIGNING_REQUEST = "CertificateSigningRequest.certificates.k8s.io"
_API_SERVICE = "APIService.apiregistration.k8s.io"

_CREATE: Mapping[GroupKind, Check] = {
    "Pod": pods.check_pod,
    "PodTemplate": apps.check_pod_template,
    "ReplicationController": apps.check_replication_controller,
    "Node": nodes.check_node,
    "Namespace": nodes.check_namespace,
    "Service": services.check_service,
    "Endpoints": endpoints.check_endpoints,
    "ConfigMap": configuration.check_config_map,
    "Secret": configuration.check_secret,
    "ServiceAccount": configuration.check_service_account,
    "PersistentVolume": persistentvolumes.check_persistent_volume,
    "PersistentVolumeClaim": claims.check_claim,
    "ResourceQuota": limits.check_quota,
    "LimitRange": limits.check_limit_range,
    "Deployment.apps": apps.check_deployment,
    "ReplicaSet.apps": apps.check_replica_set,
    "StatefulSet.apps": apps.check_stateful_set,
    "DaemonSet.apps": apps.check_daemon_set,
    "ControllerRevision.apps": apps.check_controller_revision,
    "Job.batch": jobs.check_job,
    "CronJob.batch": jobs.check_cron_job,
    "HorizontalPodAutoscaler.autoscaling": autoscaling.check_autoscaler,
    "PodDisruptionBudget.policy": policy.check_budget,
    "PriorityClass.scheduling.k8s.io": policy.check_priority_class,
    "RuntimeClass.node.k8s.io": policy.check_runtime_class,
    "Lease.coordination.k8s.io": policy.check_lease,
    "EndpointSlice.discovery.k8s.io": endpoints.check_slice,
    f"MutatingWebhookConfiguration{_ADMISSION}": webhooks.check_webhooks,
    f"ValidatingWebhookConfiguration{_ADMISSION}": webhooks.check_webhooks,
    f"ValidatingAdmissionPolicy{_ADMISSION}": policies.check_policy,
    f"ValidatingAdmissionPolicyBinding{_ADMISSION}": policies.check_binding,
    _DEFINITION: check_definition,
    f"StorageClass{_STORAGE}": storage.check_storage_class,
    f"VolumeAttributesClass{_STORAGE}": storage.check_attributes_class,
    f"CSINode{_STORAGE}": storage.check_csi_node,
    f"CSIDriver{_STORAGE}": storage.check_csi_driver,
    f"VolumeAttachment{_STORAGE}": storage.check_attachment,
    f"CSIStorageCapacity{_STORAGE}": storage.check_capacity,
    f"Role{_RBAC}": rbac.check_role,
    f"ClusterRole{_RBAC}": rbac.check_cluster_role,
    f"RoleBinding{_RBAC}": rbac.check_role_binding,
    f"ClusterRoleBinding{_RBAC}": rbac.check_cluster_role_binding,
    f"NetworkPolicy{_NETWORK}": networking.check_network_policy,
    f"Ingress{_NETWORK}": networking.check_ingress,
    f"IngressClass{_NETWORK}": networking.check_ingress_class,
    f"IPAddress{_NETWORK}": addresses.check_ip_address,
    f"ServiceCIDR{_NETWORK}": addresses.check_service_cidr,
    f"ResourceClaim{_RESOURCE}": devices.check_claim,
    f"ResourceClaimTemplate{_RESOURCE}": devices.check_claim_template,
    f"DeviceClass{_RESOURCE}": devices.check_device_class,
    f"ResourceSlice{_RESOURCE}": devices.check_slice,
    f"FlowSchema{_FLOW}": flowcontrol.check_flow_schema,
    f"PriorityLevelConfiguration{_FLOW}": flowcontrol.check_priority_level,
    _API_SERVICE: registration.check_api_service,
    "Event": events.check_event,
    "Event.events.k8s.io": events.check_strict_event,
    _SIGNING_REQUEST: certificates.check_signing_request,
}
_UPDATE: Mapping[GroupKind, CheckUpdate] = {
    "Pod": podupdates.check_pod_update,
    "PodTemplate": apps.check_pod_template_update,
    "ReplicationController": apps.check_replication_controller_update,
    "Node": nodes.check_node_and_update,
    "Namespace": nodes.check_namespace_update,
    "Service": services.check_service_update,
    "Endpoints": endpoints.check_endpoints_update,
    "ConfigMap": configuration.check_config_map_update,
    "Secret": configuration.check_secret_update,
    "ServiceAccount": configuration.check_service_account_update,
    "PersistentVolume": persistentvolumes.check_persistent_volume_update,
    "PersistentVolumeClaim": claims.check_claim_update,
    "ResourceQuota": limits.check_quota_update,
    "LimitRange": limits.check_limit_range_update,
    "Deployment.apps": apps.check_deployment_update,
    "ReplicaSet.apps": apps.check_replica_set_update,
    "StatefulSet.apps": apps.check_stateful_set_update,
    "DaemonSet.apps": apps.check_daemon_set_update,
    "ControllerRevision.apps": apps.check_controller_revision_update,
    "Job.batch": jobs.check_job_update,
    "CronJob.batch": jobs.check_cron_job_update,
    "HorizontalPodAutoscaler.autoscaling": autoscaling.check_autoscaler_update,
    "PodDisruptionBudget.policy": policy.check_budget_update,
    "PriorityClass.scheduling.k8s.io": policy.check_priority_class_update,
    "RuntimeClass.node.k8s.io": policy.check_runtime_class_update,
    "Lease.coordination.k8s.io": policy.check_lease_update,
    "EndpointSlice.discovery.k8s.io": endpoints.check_slice_update,
    f"MutatingWebhookConfiguration{_ADMISSION}": webhooks.check_webhooks_update,
    f"ValidatingWebhookConfiguration{_ADMISSION}": webhooks.check_webhooks_update,
    f"ValidatingAdmissionPolicy{_ADMISSION}": policies.check_policy_update,
    f"ValidatingAdmissionPolicyBinding{_ADMISSION}": policies.check_binding_update,
    _DEFINITION: check_definition_update,
    f"StorageClass{_STORAGE}": storage.check_storage_class_update,
    f"VolumeAttributesClass{_STORAGE}": storage.check_attributes_class_update,
    f"CSINode{_STORAGE}": storage.check_csi_node_update,
    f"CSIDriver{_STORAGE}": storage.check_csi_driver_update,
    f"VolumeAttachment{_STORAGE}": storage.check_attachment_update,
    f"CSIStorageCapacity{_STORAGE}": storage.check_capacity_update,
    f"Role{_RBAC}": rbac.check_again(rbac.check_role),
    f"ClusterRole{_RBAC}": rbac.check_again(rbac.check_cluster_role),
    f"RoleBinding{_RBAC}": rbac.check_again(rbac.check_role_binding),
    f"ClusterRoleBinding{_RBAC}": rbac.check_again(rbac.check_cluster_role_binding),
    f"NetworkPolicy{_NETWORK}": networking.check_network_policy_update,
    f"Ingress{_NETWORK}": networking.check_ingress_update,
    f"IngressClass{_NETWORK}": networking.check_ingress_class_update,
    f"IPAddress{_NETWORK}": addresses.check_ip_address_update,
    f"ServiceCIDR{_NETWORK}": addresses.check_service_cidr_update,
    f"ResourceClaim{_RESOURCE}": devices.check_claim_update,
    f"ResourceClaimTemplate{_RESOURCE}": devices.check_claim_template_update,
    f"DeviceClass{_RESOURCE}": devices.check_device_class_update,
    f"ResourceSlice{_RESOURCE}": devices.check_slice_update,
    f"FlowSchema{_FLOW}": flowcontrol.check_flow_schema_update,
    f"PriorityLevelConfiguration{_FLOW}": flowcontrol.check_priority_level_update,
    _API_SERVICE: registration.check_api_service_update,
    "Event": events.check_event_update,
    "Event.events.k8s.io": events.check_strict_event_update,
    _SIGNING_REQUEST: certificates.check_signing_request_update,
}
_STATUS: Mapping[GroupKind, CheckUpdate] = {
    "Pod": podupdates.check_pod_status_update,
    "ReplicationController": apps.check_replicas_status_update,
    "Node": nodes.check_node_update,
    "Namespace": nodes.check_namespace_status_update,
    "Service": services.check_service_status_update,
    "PersistentVolume": persistentvolumes.check_persistent_volume_status_update,
    "PersistentVolumeClaim": claims.check_claim_status_update,
    "ResourceQuota": limits.check_quota_status_update,
    "Deployment.apps": apps.check_deployment_status_update,
    "ReplicaSet.apps": apps.check_replicas_status_update,
    "StatefulSet.apps": apps.check_stateful_set_status_update,
    "DaemonSet.apps": apps.check_daemon_set_status_update,
    f"VolumeAttachment{_STORAGE}": storage.check_attachment_update,
    "Job.batch": jobstatus.check_job_status_update,
    "CronJob.batch": jobs.check_nothing_more,
    "HorizontalPodAutoscaler.autoscaling": autoscaling.check_autoscaler_status_update,
    "PodDisruptionBudget.policy": policy.check_budget_status_update,
    f"ResourceClaim{_RESOURCE}": devices.check_claim_status_update,
    _DEFINITION: check_definition_status,
    f"FlowSchema{_FLOW}": flowcontrol.check_conditions_update,
    f"PriorityLevelConfiguration{_FLOW}": flowcontrol.check_conditions_update,
    _API_SERVICE: registration.check_api_service_status_update,
    _SIGNING_REQUEST: certificates.check_signing_request_status_update,
}

_AUTOSCALER = "HorizontalPodAutoscaler.autoscaling"
# Checks that feature gates replace.
_GATED_CREATE: Mapping[tuple[str, GroupKind], Check] = {
    (SCALE_TO_ZERO, _AUTOSCALER): partial(autoscaling.check_autoscaler, scale_to_zero=True),
}
_GATED_UPDATE: Mapping[tuple[str, GroupKind], CheckUpdate] = {
    (SCALE_TO_ZERO, _AUTOSCALER): partial(autoscaling.check_autoscaler_update, scale_to_zero=True),
}


def validate_create(kind: Kind, document: Document) -> list[FieldError]:
    """Returns what is wrong with a new object; what is common to all kinds is checked if the rest is fine.

    The document is of the stored version, `kind` the version in which it was sent.
    """
    if kind.custom is not None:
        return validate_custom(kind.custom, kind.namespaced, document)
    check = _gated(kind, _GATED_CREATE) or _CREATE.get(kind.group_kind)
    if check is not None:
        errors = _enough(check(document))
    else:
        errors = _enough(check_metadata(document["metadata"], kind.namespaced, names.subdomain_problems))
    return errors or _enough(check_common_metadata(document["metadata"], kind.namespaced))


def validate_update(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    """Returns what is wrong with a changed object; as in the real server, metadata is checked more than once.

    Documents are of the stored version, `kind` the version in which the new one was sent.
    """
    if kind.custom is not None:
        return validate_custom_update(kind.custom, kind.namespaced, new, old)
    return _checked(kind, new, old, _gated(kind, _GATED_UPDATE) or _UPDATE.get(kind.group_kind))


def validate_status_update(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    """Returns what is wrong with an object as it is written to the status subresource."""
    if kind.custom is not None:
        return validate_custom_status(kind.custom, kind.namespaced, new, old)
    return _checked(kind, new, old, _STATUS.get(kind.group_kind))


def _gated(kind: Kind, checks: Mapping[tuple[str, GroupKind], T]) -> T | None:
    """Returns the check of a kind that a feature gate replaces, if it is on."""
    return next(
        (checks[feature, kind.group_kind] for feature in kind.features if (feature, kind.group_kind) in checks), None
    )


def _checked(kind: Kind, new: Document, old: Document, check: CheckUpdate | None) -> list[FieldError]:
    metadata, before = new["metadata"], old["metadata"]
    more = check(new, old) if check is not None else check_metadata_update(metadata, before)
    common = check_common_metadata(metadata, kind.namespaced)
    return _enough(chain(common, check_metadata_update(metadata, before, core=False), more))


def _enough(errors: Iterable[FieldError]) -> list[FieldError]:
    """Returns as many errors as are useful: a large object could have a hundred thousand."""
    return list(islice(errors, ENOUGH))
