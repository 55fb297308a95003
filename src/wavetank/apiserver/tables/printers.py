"""Which printer makes the row of which kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.apiserver.tables import core, network, pods, policy, storage, workloads
from wavetank.apiserver.tables.cells import Cells, Document, name_of, text_at

# Makes the cells of an object's row; `now` is seconds since 1970.
Printer = Callable[[Document, float], Cells]

PRINTERS: Mapping[str, Printer] = {
    "APIService.apiregistration.k8s.io": core.api_service,
    "CSIDriver.storage.k8s.io": storage.csi_driver,
    "CSINode.storage.k8s.io": storage.csi_node,
    "CertificateSigningRequest.certificates.k8s.io": policy.signing_request,
    "ClusterRoleBinding.rbac.authorization.k8s.io": policy.role_binding,
    "ComponentStatus": core.component_status,
    "ConfigMap": core.config_map,
    "ControllerRevision.apps": workloads.controller_revision,
    "CronJob.batch": workloads.cron_job,
    "DaemonSet.apps": workloads.daemon_set,
    "Deployment.apps": workloads.deployment,
    "DeviceClass.resource.k8s.io": core.named,
    "EndpointSlice.discovery.k8s.io": network.endpoint_slice,
    "Endpoints": network.endpoints,
    "Event": core.event,
    "FlowSchema.flowcontrol.apiserver.k8s.io": policy.flow_schema,
    "HorizontalPodAutoscaler.autoscaling": workloads.autoscaler,
    "IPAddress.networking.k8s.io": network.ip_address,
    "Ingress.networking.k8s.io": network.ingress,
    "IngressClass.networking.k8s.io": network.ingress_class,
    "Job.batch": workloads.job,
    "Lease.coordination.k8s.io": policy.lease,
    "MutatingWebhookConfiguration.admissionregistration.k8s.io": policy.webhooks,
    "Namespace": core.namespace,
    "NetworkPolicy.networking.k8s.io": network.network_policy,
    "Node": core.node,
    "PersistentVolume": storage.persistent_volume,
    "PersistentVolumeClaim": storage.persistent_volume_claim,
    "Pod": pods.pod,
    "PodDisruptionBudget.policy": policy.pod_disruption_budget,
    "PodTemplate": workloads.pod_template,
    "PriorityClass.scheduling.k8s.io": policy.priority_class,
    "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": policy.priority_level,
    "ReplicaSet.apps": workloads.replica_set,
    "ReplicationController": workloads.replication_controller,
    "ResourceClaim.resource.k8s.io": policy.resource_claim,
    "ResourceClaimTemplate.resource.k8s.io": core.named,
    "ResourceQuota": core.resource_quota,
    "ResourceSlice.resource.k8s.io": policy.resource_slice,
    "RoleBinding.rbac.authorization.k8s.io": policy.role_binding,
    "RuntimeClass.node.k8s.io": policy.runtime_class,
    "Scale.autoscaling": workloads.scale,
    "Secret": core.secret,
    "Service": network.service,
    "ServiceAccount": core.named,
    "ServiceCIDR.networking.k8s.io": network.service_cidr,
    "StatefulSet.apps": workloads.stateful_set,
    "StorageClass.storage.k8s.io": storage.storage_class,
    "ValidatingAdmissionPolicy.admissionregistration.k8s.io": policy.admission_policy,
    "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": policy.admission_policy_binding,
    "ValidatingWebhookConfiguration.admissionregistration.k8s.io": policy.webhooks,
    "VolumeAttachment.storage.k8s.io": storage.volume_attachment,
    "VolumeAttributesClass.storage.k8s.io": storage.volume_attributes_class,
}

# Kinds whose rows are not in the order of the list.
ORDERS: Mapping[str, Callable[[Document], Any]] = {
    "FlowSchema.flowcontrol.apiserver.k8s.io": policy.flow_schema_order,
}


def by_default(document: Document, now: float) -> Cells:
    """Prints an object of a kind without a printer: its name and the time of its creation."""
    return [name_of(document), text_at(document, "metadata", "creationTimestamp", default="0001-01-01T00:00:00Z")]
