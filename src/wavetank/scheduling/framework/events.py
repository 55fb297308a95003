"""Cluster events that can make an unschedulable pod schedulable, with kube-scheduler's names for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from wavetank.cluster.objects.groupkinds import (
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    DEVICE_CLASS,
    RESOURCE_CLAIM,
    RESOURCE_SLICE,
    STORAGE_CLASS,
    VOLUME_ATTACHMENT,
)
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod


class ClusterEvent(StrEnum):
    """What happened in the cluster."""

    ASSIGNED_POD_ADD = "AssignedPodAdd"
    ASSIGNED_POD_DELETE = "AssignedPodDelete"
    ASSIGNED_POD_LABEL = "AssignedPodUpdatePodLabel"
    ASSIGNED_POD_SCALE_DOWN = "AssignedPodUpdatePodScaleDown"
    POD_TOLERATION = "UnschedulablePodUpdatePodToleration"
    POD_GATES = "UnschedulablePodUpdatePodSchedulingGatesEliminated"
    POD_LABEL = "UnschedulablePodUpdatePodLabel"
    POD_OTHER = "UnschedulablePodUpdate"
    POD_SCALE_DOWN = "UnschedulablePodUpdatePodScaleDown"
    NODE_ADD = "NodeAdd"
    NODE_DELETE = "NodeDelete"
    NODE_ALLOCATABLE = "NodeUpdateNodeAllocatable"
    NODE_LABEL = "NodeUpdateNodeLabel"
    NODE_TAINT = "NodeUpdateNodeTaint"
    CLAIM_ADD = "PersistentVolumeClaimAdd"
    CLAIM_UPDATE = "PersistentVolumeClaimUpdate"
    VOLUME_ADD = "PersistentVolumeAdd"
    VOLUME_UPDATE = "PersistentVolumeUpdate"
    STORAGE_CLASS_ADD = "storage.k8s.io/StorageClassAdd"
    STORAGE_CLASS_UPDATE = "storage.k8s.io/StorageClassUpdate"
    CSI_NODE_ADD = "storage.k8s.io/CSINodeAdd"
    CSI_NODE_UPDATE = "storage.k8s.io/CSINodeUpdate"
    CSI_DRIVER_UPDATE = "storage.k8s.io/CSIDriverUpdate"
    STORAGE_CAPACITY_ADD = "storage.k8s.io/CSIStorageCapacityAdd"
    STORAGE_CAPACITY_UPDATE = "storage.k8s.io/CSIStorageCapacityUpdate"
    ATTACHMENT_DELETE = "storage.k8s.io/VolumeAttachmentDelete"
    RESOURCE_CLAIM_ADD = "ResourceClaimAdd"
    RESOURCE_CLAIM_UPDATE = "ResourceClaimUpdate"
    RESOURCE_SLICE_ADD = "ResourceSliceAdd"
    RESOURCE_SLICE_UPDATE = "ResourceSliceUpdate"
    DEVICE_CLASS_ADD = "DeviceClassAdd"
    DEVICE_CLASS_UPDATE = "DeviceClassUpdate"
    TIMEOUT = "UnschedulableTimeout"


# What adding, changing and removing an object of a kind means for pending pods; None if it helps no pod.
OBJECT_EVENTS: Mapping[str, tuple[ClusterEvent | None, ClusterEvent | None, ClusterEvent | None]] = {
    "PersistentVolumeClaim": (ClusterEvent.CLAIM_ADD, ClusterEvent.CLAIM_UPDATE, None),
    "PersistentVolume": (ClusterEvent.VOLUME_ADD, ClusterEvent.VOLUME_UPDATE, None),
    STORAGE_CLASS: (ClusterEvent.STORAGE_CLASS_ADD, ClusterEvent.STORAGE_CLASS_UPDATE, None),
    CSI_NODE: (ClusterEvent.CSI_NODE_ADD, ClusterEvent.CSI_NODE_UPDATE, None),
    CSI_DRIVER: (None, ClusterEvent.CSI_DRIVER_UPDATE, None),
    CSI_STORAGE_CAPACITY: (
        ClusterEvent.STORAGE_CAPACITY_ADD,
        ClusterEvent.STORAGE_CAPACITY_UPDATE,
        None,
    ),
    RESOURCE_CLAIM: (ClusterEvent.RESOURCE_CLAIM_ADD, ClusterEvent.RESOURCE_CLAIM_UPDATE, None),
    RESOURCE_SLICE: (ClusterEvent.RESOURCE_SLICE_ADD, ClusterEvent.RESOURCE_SLICE_UPDATE, None),
    DEVICE_CLASS: (ClusterEvent.DEVICE_CLASS_ADD, ClusterEvent.DEVICE_CLASS_UPDATE, None),
    VOLUME_ATTACHMENT: (None, None, ClusterEvent.ATTACHMENT_DELETE),
}

# Returns whether the event (the pending pod, the old object, the new one) may make the pod schedulable.
Hint = Callable[[Pod, Any, Any], bool]


def always(waiting: Pod, old: Any, new: Any) -> bool:
    """Returns that any event may help."""
    return True


def node_events(old: Node, new: Node) -> Iterator[ClusterEvent]:
    """Yields what an update of a node means for pending pods."""
    if old.allocatable != new.allocatable:
        yield ClusterEvent.NODE_ALLOCATABLE
    if old.labels != new.labels:
        yield ClusterEvent.NODE_LABEL
    if old.taints != new.taints or (old.unschedulable and not new.unschedulable):
        yield ClusterEvent.NODE_TAINT


def assigned_pod_events(old: Pod, new: Pod) -> Iterator[ClusterEvent]:
    """Yields what an update of a bound pod means for pending pods."""
    if old.labels != new.labels:
        yield ClusterEvent.ASSIGNED_POD_LABEL
    if _scaled_down(old, new):
        yield ClusterEvent.ASSIGNED_POD_SCALE_DOWN


def waiting_pod_events(old: Pod, new: Pod) -> Iterator[ClusterEvent]:
    """Yields what an update of a pending pod means for itself; at least one event."""
    yield from tuple(_waiting_pod_changes(old, new)) or (ClusterEvent.POD_OTHER,)


def _waiting_pod_changes(old: Pod, new: Pod) -> Iterator[ClusterEvent]:
    if old.labels != new.labels:
        yield ClusterEvent.POD_LABEL
    if _scaled_down(old, new):
        yield ClusterEvent.POD_SCALE_DOWN
    if old.gates and not new.gates:
        yield ClusterEvent.POD_GATES
    if old.spec.tolerations != new.spec.tolerations:
        yield ClusterEvent.POD_TOLERATION


def _scaled_down(old: Pod, new: Pod) -> bool:
    return old.spec is not new.spec and any(
        amount > new.spec.requests.get(name, 0) for name, amount in old.spec.requests.items()
    )
