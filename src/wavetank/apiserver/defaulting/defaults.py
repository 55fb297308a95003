from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.apiserver.codec import canonical
from wavetank.apiserver.custom.definition.strategy import default_definition
from wavetank.apiserver.defaulting import (
    access,
    apps,
    autoscaling,
    batch,
    core,
    networking,
    pods,
    registration,
    resource,
    storage,
)
from wavetank.apiserver.defaulting.fields import Document
from wavetank.apiserver.kinds.kind import Kind
from wavetank.kernel.discards import discard

_DEFAULTS: Mapping[tuple[str, str], Callable[[Document], None]] = {
    ("v1", "Pod"): pods.default_pod,
    ("v1", "PodTemplate"): core.default_pod_template,
    ("v1", "ReplicationController"): core.default_replication_controller,
    ("v1", "Service"): core.default_service,
    ("v1", "Secret"): core.default_secret,
    ("v1", "PersistentVolume"): core.default_persistent_volume,
    ("v1", "PersistentVolumeClaim"): core.default_claim,
    ("v1", "Endpoints"): core.default_endpoints,
    ("v1", "Namespace"): core.default_namespace,
    ("v1", "Node"): core.default_node,
    ("v1", "LimitRange"): core.default_limit_range,
    ("v1", "ResourceQuota"): core.default_resource_quota,
    ("apps/v1", "Deployment"): apps.default_deployment,
    ("apps/v1", "ReplicaSet"): apps.default_replica_set,
    ("apps/v1", "DaemonSet"): apps.default_daemon_set,
    ("apps/v1", "StatefulSet"): apps.default_stateful_set,
    ("batch/v1", "Job"): batch.default_job,
    ("batch/v1", "CronJob"): batch.default_cron_job,
    ("autoscaling/v1", "HorizontalPodAutoscaler"): autoscaling.default_autoscaler_v1,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): autoscaling.default_autoscaler_v2,
    ("networking.k8s.io/v1", "NetworkPolicy"): networking.default_network_policy,
    ("networking.k8s.io/v1", "IngressClass"): networking.default_ingress_class,
    ("discovery.k8s.io/v1", "EndpointSlice"): networking.default_endpoint_slice,
    ("storage.k8s.io/v1", "StorageClass"): storage.default_storage_class,
    ("storage.k8s.io/v1", "CSIDriver"): storage.default_csi_driver,
    ("storage.k8s.io/v1", "VolumeAttachment"): storage.default_attachment,
    ("resource.k8s.io/v1", "ResourceClaim"): resource.default_resource_claim,
    ("resource.k8s.io/v1", "ResourceClaimTemplate"): resource.default_resource_claim_template,
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): access.default_binding,
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): access.default_binding,
    ("scheduling.k8s.io/v1", "PriorityClass"): access.default_priority_class,
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"): access.default_flow_schema,
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"): access.default_priority_level,
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"): registration.default_validating_webhooks,
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"): registration.default_mutating_webhooks,
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"): registration.default_admission_policy,
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"): (
        registration.default_admission_policy_binding
    ),
    ("apiregistration.k8s.io/v1", "APIService"): registration.default_api_service,
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): default_definition,
}


def set_defaults(kind: Kind, document: Document) -> None:
    """Gives a canonical document, in place, the values that the server gives to missing fields.

    What Go cannot tell from a missing value must be missing already; a kind without a type of its own is left alone.
    """
    if kind.custom is not None:
        kind.custom.default(document)
        return
    default = _DEFAULTS.get((kind.api_version, kind.kind))
    if default is not None:
        default(document)
    completed = canonical(kind.schema, document)
    discard(dict(document))
    document.clear()
    document.update(completed)
