"""What the API calls the objects of a kind, in paths and in messages: pods, networkpolicies.networking.k8s.io."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.resource import Resource

# By group and kind: those of Kubernetes, and those of Volcano.
_PLURALS: Mapping[str, Mapping[str, str]] = {
    "": {
        "Binding": "bindings",
        "ComponentStatus": "componentstatuses",
        "ConfigMap": "configmaps",
        "Endpoints": "endpoints",
        "Event": "events",
        "LimitRange": "limitranges",
        "Namespace": "namespaces",
        "Node": "nodes",
        "PersistentVolume": "persistentvolumes",
        "PersistentVolumeClaim": "persistentvolumeclaims",
        "Pod": "pods",
        "PodTemplate": "podtemplates",
        "ReplicationController": "replicationcontrollers",
        "ResourceQuota": "resourcequotas",
        "Secret": "secrets",
        "Service": "services",
        "ServiceAccount": "serviceaccounts",
    },
    "admissionregistration.k8s.io": {
        "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
        "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
        "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
        "ValidatingWebhookConfiguration": "validatingwebhookconfigurations",
    },
    "apiextensions.k8s.io": {
        "CustomResourceDefinition": "customresourcedefinitions",
    },
    "apiregistration.k8s.io": {
        "APIService": "apiservices",
    },
    "apps": {
        "ControllerRevision": "controllerrevisions",
        "DaemonSet": "daemonsets",
        "Deployment": "deployments",
        "ReplicaSet": "replicasets",
        "StatefulSet": "statefulsets",
    },
    "authentication.k8s.io": {
        "SelfSubjectReview": "selfsubjectreviews",
        "TokenReview": "tokenreviews",
    },
    "authorization.k8s.io": {
        "LocalSubjectAccessReview": "localsubjectaccessreviews",
        "SelfSubjectAccessReview": "selfsubjectaccessreviews",
        "SelfSubjectRulesReview": "selfsubjectrulesreviews",
        "SubjectAccessReview": "subjectaccessreviews",
    },
    "autoscaling": {
        "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    },
    "batch": {
        "CronJob": "cronjobs",
        "Job": "jobs",
    },
    "batch.volcano.sh": {
        "Job": "jobs",
    },
    "certificates.k8s.io": {
        "CertificateSigningRequest": "certificatesigningrequests",
    },
    "coordination.k8s.io": {
        "Lease": "leases",
    },
    "discovery.k8s.io": {
        "EndpointSlice": "endpointslices",
    },
    "events.k8s.io": {
        "Event": "events",
    },
    "flowcontrol.apiserver.k8s.io": {
        "FlowSchema": "flowschemas",
        "PriorityLevelConfiguration": "prioritylevelconfigurations",
    },
    "networking.k8s.io": {
        "IPAddress": "ipaddresses",
        "Ingress": "ingresses",
        "IngressClass": "ingressclasses",
        "NetworkPolicy": "networkpolicies",
        "ServiceCIDR": "servicecidrs",
    },
    "node.k8s.io": {
        "RuntimeClass": "runtimeclasses",
    },
    "policy": {
        "PodDisruptionBudget": "poddisruptionbudgets",
    },
    "rbac.authorization.k8s.io": {
        "ClusterRole": "clusterroles",
        "ClusterRoleBinding": "clusterrolebindings",
        "Role": "roles",
        "RoleBinding": "rolebindings",
    },
    "resource.k8s.io": {
        "DeviceClass": "deviceclasses",
        "ResourceClaim": "resourceclaims",
        "ResourceClaimTemplate": "resourceclaimtemplates",
        "ResourceSlice": "resourceslices",
    },
    "scheduling.k8s.io": {
        "PriorityClass": "priorityclasses",
    },
    "scheduling.volcano.sh": {
        "PodGroup": "podgroups",
        "Queue": "queues",
    },
    "storage.k8s.io": {
        "CSIDriver": "csidrivers",
        "CSINode": "csinodes",
        "CSIStorageCapacity": "csistoragecapacities",
        "StorageClass": "storageclasses",
        "VolumeAttachment": "volumeattachments",
        "VolumeAttributesClass": "volumeattributesclasses",
    },
}
RESOURCE_NAMES: Mapping[GroupKind, str] = {
    f"{kind}.{group}" if group else kind: f"{plural}.{group}" if group else plural
    for group, kinds in _PLURALS.items()
    for kind, plural in kinds.items()
}


def custom_name(group_kind: GroupKind, definitions: Iterable[Resource]) -> str | None:
    """Returns what CustomResourceDefinitions call the objects of a kind; None if none of them defines it."""
    for definition in definitions:
        spec = definition.manifest.get("spec") or {}
        names, group = spec.get("names") or {}, spec.get("group")
        if f"{names.get('kind')}.{group}" == group_kind and names.get("plural"):
            return f"{names['plural']}.{group}"
    return None
