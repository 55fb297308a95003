"""GroupKinds: the keys under which the store keeps objects, `Kind` or `Kind.group` as kubectl writes them."""

from __future__ import annotations

from typing import TypeAlias

GroupKind: TypeAlias = str

POD = "Pod"
NODE = "Node"
NAMESPACE = "Namespace"
SERVICE = "Service"
SERVICE_ACCOUNT = "ServiceAccount"
RESOURCE_QUOTA = "ResourceQuota"
LIMIT_RANGE = "LimitRange"
EVENT = "Event"
JOB = "Job.batch"
CRON_JOB = "CronJob.batch"
REPLICA_SET = "ReplicaSet.apps"
DEPLOYMENT = "Deployment.apps"
DAEMON_SET = "DaemonSet.apps"
STATEFUL_SET = "StatefulSet.apps"
CONTROLLER_REVISION = "ControllerRevision.apps"
POD_DISRUPTION_BUDGET = "PodDisruptionBudget.policy"
PRIORITY_CLASS = "PriorityClass.scheduling.k8s.io"
STORAGE_CLASS = "StorageClass.storage.k8s.io"
VOLUME_ATTACHMENT = "VolumeAttachment.storage.k8s.io"
CSI_NODE = "CSINode.storage.k8s.io"
CSI_DRIVER = "CSIDriver.storage.k8s.io"
CSI_STORAGE_CAPACITY = "CSIStorageCapacity.storage.k8s.io"
RESOURCE_CLAIM = "ResourceClaim.resource.k8s.io"
RESOURCE_SLICE = "ResourceSlice.resource.k8s.io"
DEVICE_CLASS = "DeviceClass.resource.k8s.io"
ENDPOINT_SLICE = "EndpointSlice.discovery.k8s.io"
LEASE = "Lease.coordination.k8s.io"
VOLCANO_JOB = "Job.batch.volcano.sh"
POD_GROUP = "PodGroup.scheduling.volcano.sh"
QUEUE = "Queue.scheduling.volcano.sh"
