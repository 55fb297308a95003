"""GroupKinds: the keys under which the store keeps objects, `Kind` or `Kind.group` as kubectl writes them."""

from __future__ import annotations

from typing import TypeAlias

from wavetank.textcache import cached_texts

GroupKind: TypeAlias = str

POD = "Pod"
NODE = "Node"
NAMESPACE = "Namespace"
SERVICE = "Service"
SERVICE_ACCOUNT = "ServiceAccount"
RESOURCE_QUOTA = "ResourceQuota"
LIMIT_RANGE = "LimitRange"
EVENT = "Event"
PERSISTENT_VOLUME = "PersistentVolume"
PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
JOB = "Job.batch"
CRON_JOB = "CronJob.batch"
REPLICA_SET = "ReplicaSet.apps"
DEPLOYMENT = "Deployment.apps"
DAEMON_SET = "DaemonSet.apps"
STATEFUL_SET = "StatefulSet.apps"
CONTROLLER_REVISION = "ControllerRevision.apps"
POD_DISRUPTION_BUDGET = "PodDisruptionBudget.policy"
HORIZONTAL_POD_AUTOSCALER = "HorizontalPodAutoscaler.autoscaling"
PRIORITY_CLASS = "PriorityClass.scheduling.k8s.io"
STORAGE_CLASS = "StorageClass.storage.k8s.io"
VOLUME_ATTACHMENT = "VolumeAttachment.storage.k8s.io"
VOLUME_ATTRIBUTES_CLASS = "VolumeAttributesClass.storage.k8s.io"
CSI_NODE = "CSINode.storage.k8s.io"
CSI_DRIVER = "CSIDriver.storage.k8s.io"
CSI_STORAGE_CAPACITY = "CSIStorageCapacity.storage.k8s.io"
RESOURCE_CLAIM = "ResourceClaim.resource.k8s.io"
RESOURCE_SLICE = "ResourceSlice.resource.k8s.io"
DEVICE_CLASS = "DeviceClass.resource.k8s.io"
ENDPOINT_SLICE = "EndpointSlice.discovery.k8s.io"
LEASE = "Lease.coordination.k8s.io"
CERTIFICATE_SIGNING_REQUEST = "CertificateSigningRequest.certificates.k8s.io"
CUSTOM_RESOURCE_DEFINITION = "CustomResourceDefinition.apiextensions.k8s.io"
VOLCANO_JOB = "Job.batch.volcano.sh"
POD_GROUP = "PodGroup.scheduling.volcano.sh"
QUEUE = "Queue.scheduling.volcano.sh"
SCALING_MODEL = "ScalingModel.wavetank.dev"
MACHINE = "Machine.cluster.x-k8s.io"
MACHINE_SET = "MachineSet.cluster.x-k8s.io"
MACHINE_DEPLOYMENT = "MachineDeployment.cluster.x-k8s.io"
NODE_POOL = "NodePool.karpenter.sh"
NODE_CLAIM = "NodeClaim.karpenter.sh"
CONFIG_MAP = "ConfigMap"
REPLICATION_CONTROLLER = "ReplicationController"
MUTATING_WEBHOOKS = "MutatingWebhookConfiguration.admissionregistration.k8s.io"
VALIDATING_WEBHOOKS = "ValidatingWebhookConfiguration.admissionregistration.k8s.io"
POLICIES = "ValidatingAdmissionPolicy.admissionregistration.k8s.io"
POLICY_BINDINGS = "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io"
CLUSTER_QUEUE = "ClusterQueue.kueue.x-k8s.io"
LOCAL_QUEUE = "LocalQueue.kueue.x-k8s.io"
COHORT = "Cohort.kueue.x-k8s.io"
RESOURCE_FLAVOR = "ResourceFlavor.kueue.x-k8s.io"
WORKLOAD = "Workload.kueue.x-k8s.io"
WORKLOAD_PRIORITY_CLASS = "WorkloadPriorityClass.kueue.x-k8s.io"
ADMISSION_CHECK = "AdmissionCheck.kueue.x-k8s.io"
TOPOLOGY = "Topology.kueue.x-k8s.io"


@cached_texts(1024)
def group_kind_of(api_version: object, kind: object) -> GroupKind:
    """Returns the GroupKind of the apiVersion and kind of an object or of a reference to one."""
    group = str(api_version).rpartition("/")[0]
    return f"{kind}.{group}" if group else str(kind)
