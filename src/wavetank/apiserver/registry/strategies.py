"""The strategies of all kinds."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.apiserver.custom.definition import strategy as definitions
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.strategies import certificates, core, devices, pods, services, workloads
from wavetank.apiserver.strategies.strategy import ORPHAN_DEPENDENTS, UNSUPPORTED, Strategy
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.rules.admission import SYSTEM_PRIORITIES

_SPEC = ("spec",)
_POD_SPEC = ("spec", "template", "spec")
_RBAC = Strategy(own_status=False, create_on_update=True)
_STORAGE = ".storage.k8s.io"
_HOOKS = ".admissionregistration.k8s.io"

_STRATEGIES: Mapping[GroupKind, Strategy] = {
    "Pod": Strategy(
        _SPEC,
        pod_spec=("spec",),
        create=pods.prepare_pod,
        status=pods.prepare_pod_status,
        returns_deleted=True,
        grace_period=pods.grace_period,
    ),
    "PodTemplate": Strategy(("template",), own_status=False, pod_spec=("template", "spec"), returns_deleted=True),
    "ReplicationController": Strategy(_SPEC, pod_spec=_POD_SPEC, dependents=ORPHAN_DEPENDENTS),
    "Namespace": Strategy(
        create=core.prepare_namespace,
        update=core.prepare_namespace_update,
        returns_deleted=True,
        termination=core.NAMESPACE_TERMINATION,
    ),
    "Node": Strategy(
        own_status=False, create=core.prepare_node, update=core.prepare_node_update, status=core.prepare_node_status
    ),
    "PersistentVolume": Strategy(
        create=core.prepare_persistent_volume, status=core.prepare_persistent_volume_status, returns_deleted=True
    ),
    "PersistentVolumeClaim": Strategy(
        create=core.prepare_claim,
        update=core.prepare_claim_update,
        gains_defaults=core.claim_gains_defaults,
        returns_deleted=True,
    ),
    "ResourceQuota": Strategy(returns_deleted=True),
    "Service": Strategy(
        create_on_update=True, allocate=services.allocate, update=services.prepare_service_update, returns_deleted=True
    ),
    "ServiceAccount": Strategy(
        own_status=False,
        create=core.prepare_service_account,
        update=core.prepare_service_account_update,
        returns_deleted=True,
    ),
    "Endpoints": Strategy(own_status=False, create_on_update=True),
    "Event": Strategy(own_status=False, create_on_update=True, dependents=UNSUPPORTED),
    "LimitRange": Strategy(own_status=False, create_on_update=True, create=core.prepare_limit_range),
    "Deployment.apps": Strategy(
        _SPEC, counted_metadata="annotations", status_metadata="annotations", pod_spec=_POD_SPEC
    ),
    "ReplicaSet.apps": Strategy(_SPEC, pod_spec=_POD_SPEC),
    "StatefulSet.apps": Strategy(
        _SPEC,
        pod_spec=_POD_SPEC,
        create=workloads.prepare_stateful_set,
        update=workloads.prepare_stateful_set_update,
    ),
    "DaemonSet.apps": Strategy(
        _SPEC,
        pod_spec=_POD_SPEC,
        create=workloads.prepare_daemon_set,
        update=workloads.prepare_daemon_set_update,
        status=workloads.prepare_daemon_set_status,
    ),
    "Job.batch": Strategy(
        _SPEC,
        pod_spec=_POD_SPEC,
        create=workloads.prepare_job,
        gains_defaults=workloads.job_gains_defaults,
        dependents=ORPHAN_DEPENDENTS,
        orphan_warning=workloads.ORPHANED_PODS,
    ),
    "CronJob.batch": Strategy(_SPEC, pod_spec=("spec", "jobTemplate", *_POD_SPEC)),
    "PodDisruptionBudget.policy": Strategy(_SPEC, unconditional_update=False),
    "Lease.coordination.k8s.io": Strategy(
        own_status=False,
        create_on_update=True,
        unconditional_update=False,
        create=core.prepare_lease,
        update=core.prepare_lease_update,
    ),
    "LeaseCandidate.coordination.k8s.io": Strategy(own_status=False, create_on_update=True, unconditional_update=False),
    "PriorityClass.scheduling.k8s.io": Strategy(
        has_generation=True,
        own_status=False,
        kept=dict.fromkeys(SYSTEM_PRIORITIES, "this is a system priority class and cannot be deleted"),
    ),
    "EndpointSlice.discovery.k8s.io": Strategy(
        ("addressType", "endpoints", "ports"),
        counted_metadata="labels",
        own_status=False,
        create=core.prepare_endpoint_slice,
        update=core.prepare_endpoint_slice_update,
    ),
    "Ingress.networking.k8s.io": Strategy(_SPEC),
    "IngressClass.networking.k8s.io": Strategy(_SPEC, own_status=False),
    "NetworkPolicy.networking.k8s.io": Strategy(_SPEC, own_status=False),
    "IPAddress.networking.k8s.io": Strategy(own_status=False, generates_names=False),
    "ServiceCIDR.networking.k8s.io": Strategy(own_status=False, status_metadata="none"),
    "RuntimeClass.node.k8s.io": Strategy(own_status=False, create_on_update=True, unconditional_update=False),
    "Role.rbac.authorization.k8s.io": _RBAC,
    "RoleBinding.rbac.authorization.k8s.io": _RBAC,
    "ClusterRole.rbac.authorization.k8s.io": _RBAC,
    "ClusterRoleBinding.rbac.authorization.k8s.io": _RBAC,
    f"CSIDriver{_STORAGE}": Strategy(
        _SPEC, has_generation=False, own_status=False, unconditional_update=False, returns_deleted=True
    ),
    f"CSINode{_STORAGE}": Strategy(own_status=False, unconditional_update=False, returns_deleted=True),
    f"CSIStorageCapacity{_STORAGE}": Strategy(own_status=False, unconditional_update=False),
    f"StorageClass{_STORAGE}": Strategy(returns_deleted=True),
    f"VolumeAttachment{_STORAGE}": Strategy(status_metadata="none", unconditional_update=False, returns_deleted=True),
    f"VolumeAttributesClass{_STORAGE}": Strategy(returns_deleted=True),
    "ResourceClaim.resource.k8s.io": Strategy(
        status_metadata="none",
        allocate=devices.check_admin_access,
        create=devices.prepare_claim,
        update=devices.prepare_claim_update,
        status=devices.prepare_claim_status,
        returns_deleted=True,
    ),
    "ResourceClaimTemplate.resource.k8s.io": Strategy(
        own_status=False,
        allocate=devices.check_admin_access,
        create=devices.prepare_claim_template,
        update=devices.prepare_claim_template_update,
        returns_deleted=True,
    ),
    "DeviceClass.resource.k8s.io": Strategy(
        _SPEC,
        own_status=False,
        create=devices.prepare_class,
        update=devices.prepare_class_update,
        returns_deleted=True,
    ),
    "ResourceSlice.resource.k8s.io": Strategy(
        _SPEC,
        own_status=False,
        create=devices.prepare_slice,
        update=devices.prepare_slice_update,
        returns_deleted=True,
    ),
    "FlowSchema.flowcontrol.apiserver.k8s.io": Strategy(_SPEC, status_metadata="none"),
    "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": Strategy(_SPEC, status_metadata="none"),
    f"ValidatingAdmissionPolicy{_HOOKS}": Strategy(_SPEC, status_metadata="none", unconditional_update=False),
    f"ValidatingAdmissionPolicyBinding{_HOOKS}": Strategy(_SPEC, own_status=False, unconditional_update=False),
    f"ValidatingWebhookConfiguration{_HOOKS}": Strategy(("webhooks",), own_status=False, unconditional_update=False),
    f"MutatingWebhookConfiguration{_HOOKS}": Strategy(("webhooks",), own_status=False, unconditional_update=False),
    "CertificateSigningRequest.certificates.k8s.io": Strategy(
        create=certificates.prepare_signing_request,
        update=certificates.prepare_signing_request_update,
        status=certificates.prepare_signing_request_status,
    ),
    "CustomResourceDefinition.apiextensions.k8s.io": Strategy(
        _SPEC,
        unconditional_update=False,
        create=definitions.prepare_definition,
        update=definitions.prepare_definition_update,
        termination=definitions.TERMINATION,
    ),
    "APIService.apiregistration.k8s.io": Strategy(status_metadata="none", unconditional_update=False),
}

_PLAIN = Strategy()
_CUSTOM = Strategy(unconditional_update=False)


def strategy_of(kind: Kind) -> Strategy:
    """Returns the strategy of a kind."""
    return _CUSTOM if kind.custom is not None else _STRATEGIES.get(kind.group_kind, _PLAIN)
