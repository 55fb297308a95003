"""The kinds of a snapshot: those that say where pods may run, and which of them are created again."""

from __future__ import annotations

from wavetank.batchoperator.client.remote.paths import ServedKind
from wavetank.cluster.objects import groupkinds as kinds
from wavetank.cluster.objects.groupkinds import GroupKind


def _cluster_wide(api_version: str, plural: str) -> ServedKind:
    return ServedKind(api_version, plural, namespaced=False)


SNAPSHOT_KINDS: dict[GroupKind, ServedKind] = {
    kinds.NAMESPACE: _cluster_wide("v1", "namespaces"),
    kinds.NODE: _cluster_wide("v1", "nodes"),
    kinds.PRIORITY_CLASS: _cluster_wide("scheduling.k8s.io/v1", "priorityclasses"),
    kinds.STORAGE_CLASS: _cluster_wide("storage.k8s.io/v1", "storageclasses"),
    kinds.CSI_NODE: _cluster_wide("storage.k8s.io/v1", "csinodes"),
    kinds.CSI_DRIVER: _cluster_wide("storage.k8s.io/v1", "csidrivers"),
    kinds.PERSISTENT_VOLUME: _cluster_wide("v1", "persistentvolumes"),
    kinds.PERSISTENT_VOLUME_CLAIM: ServedKind("v1", "persistentvolumeclaims"),
    kinds.DEVICE_CLASS: _cluster_wide("resource.k8s.io/v1", "deviceclasses"),
    kinds.RESOURCE_SLICE: _cluster_wide("resource.k8s.io/v1", "resourceslices"),
    kinds.RESOURCE_CLAIM: ServedKind("resource.k8s.io/v1", "resourceclaims"),
    kinds.SERVICE: ServedKind("v1", "services"),
    kinds.POD_DISRUPTION_BUDGET: ServedKind("policy/v1", "poddisruptionbudgets"),
    kinds.DEPLOYMENT: ServedKind("apps/v1", "deployments"),
    kinds.REPLICA_SET: ServedKind("apps/v1", "replicasets"),
    kinds.REPLICATION_CONTROLLER: ServedKind("v1", "replicationcontrollers"),
    kinds.STATEFUL_SET: ServedKind("apps/v1", "statefulsets"),
    kinds.DAEMON_SET: ServedKind("apps/v1", "daemonsets"),
    kinds.JOB: ServedKind("batch/v1", "jobs"),
    kinds.POD: ServedKind("v1", "pods"),
}
