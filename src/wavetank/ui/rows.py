"""What the page shows of each object, as short rows: 50,000 pods are a few megabytes.

The scripts read the rows by position (assets/js/model.js, assets/js/lists.js).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS
from wavetank.cluster.objects.groupkinds import (
    DAEMON_SET,
    DEPLOYMENT,
    HORIZONTAL_POD_AUTOSCALER,
    JOB,
    MACHINE_DEPLOYMENT,
    NODE_POOL,
    REPLICA_SET,
    STATEFUL_SET,
    VOLCANO_JOB,
    GroupKind,
)
from wavetank.cluster.objects.karpenter import NODE_POOL_LABEL
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import FAILED, RUNNING, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND

Row = list[Any]
Fields = Mapping[str, Any]

WORKLOADS: tuple[GroupKind, ...] = (DEPLOYMENT, STATEFUL_SET, DAEMON_SET, REPLICA_SET, JOB, VOLCANO_JOB)
SCALERS: tuple[GroupKind, ...] = (MACHINE_DEPLOYMENT, NODE_POOL, HORIZONTAL_POD_AUTOSCALER)

_ZONE = "topology.kubernetes.io/zone"
# Labels that name the pool of a node, of which the first counts.
_POOLS = (
    NODE_POOL_LABEL,
    "wavetank.dev/node-group",
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "node.kubernetes.io/instance-type",
)


def pod_row(pod: Pod, store: Store) -> Row:
    """Returns namespace, name, node, state, milli-CPU, bytes, priority, owner, creation in s, and a message."""
    asked = pod.requests
    return [
        pod.namespace,
        pod.name,
        pod.node_name,
        pod_state(pod),
        asked.get(CPU, 0),
        asked.get(MEMORY, 0),
        pod.priority,
        _owner(pod, store),
        pod.created / SECOND,
        pod.unschedulable or pod.message or pod.reason,
    ]


def pod_state(pod: Pod) -> str:
    """Returns the state of a pod as one word."""
    if pod.phase == SUCCEEDED or pod.phase == FAILED:
        return pod.phase
    if pod.deleted is not None:
        return "Terminating"
    if pod.node_name:
        return RUNNING if pod.phase == RUNNING else "Starting"
    if pod.gates:
        return "Gated"
    return "Unschedulable" if pod.unschedulable else "Pending"


def node_row(node: Node) -> Row:
    """Returns name, milli-CPU, bytes and pods allocatable, zone, pool, ready, cordoned, and taints."""
    capacity = node.allocatable
    return [
        node.name,
        capacity.get(CPU, 0),
        capacity.get(MEMORY, 0),
        capacity.get(PODS, 0),
        node.labels.get(_ZONE, ""),
        next((node.labels[label] for label in _POOLS if label in node.labels), ""),
        node.ready,
        node.unschedulable,
        [f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}" for taint in node.taints],
    ]


def workload_row(found: Resource) -> Row:
    """Returns kind, namespace, name, wanted, updated, ready, and a text."""
    count = _COUNTS.get(found.group_kind, _count_replicas)
    wanted, updated, ready, text = count(found.manifest.get("spec") or {}, found.manifest.get("status") or {})
    kind = found.manifest_kind
    return [kind, found.namespace, found.name, wanted, updated, ready, text or _rollout(wanted, updated, ready)]


def scaler_row(found: Resource) -> Row:
    """Returns kind, namespace, name, present, smallest and largest size, and a text; null if one is not stated."""
    sizes, text = _SIZES[found.group_kind](found, found.manifest.get("spec") or {}, found.manifest.get("status") or {})
    return [found.manifest_kind, found.namespace, found.name, *sizes, text]


def event_row(event: Resource) -> Row:
    """Returns the number of its version, its time, type, reason, kind, namespace and name, message, count."""
    manifest = event.manifest
    about = manifest.get("involvedObject") or manifest.get("regarding") or {}
    series = manifest.get("series") or {}
    return [
        event.resource_version,
        manifest.get("lastTimestamp") or manifest.get("eventTime") or "",
        manifest.get("type") or "",
        manifest.get("reason") or "",
        about.get("kind") or "",
        about.get("namespace") or "",
        about.get("name") or "",
        manifest.get("message") or manifest.get("note") or "",
        series.get("count") or manifest.get("count") or 1,
    ]


def is_shown(found: Resource) -> bool:
    """Returns whether a workload is listed: not a ReplicaSet of a Deployment, which shows it already."""
    return found.group_kind != REPLICA_SET or not _controller(found)


def _owner(pod: Pod, store: Store) -> str:
    """Returns the workload of a pod as Kind/name; of a ReplicaSet its Deployment."""
    owner = _controller(pod)
    if owner.get("kind") == "ReplicaSet":
        found = store.find(REPLICA_SET, pod.namespace, str(owner.get("name")))
        owner = (_controller(found) if found is not None else {}) or owner
    return f"{owner.get('kind')}/{owner.get('name')}" if owner else ""


def _controller(found: Resource) -> Mapping[str, Any]:
    references = (found.manifest.get("metadata") or {}).get("ownerReferences") or ()
    return next((each for each in references if each.get("controller")), {})


# How far a workload is: wanted, updated and ready pods, and a text if that says more.


def _count_replicas(spec: Fields, status: Fields) -> tuple[int, int, int, str]:
    wanted, ready = 1 if spec.get("replicas") is None else spec["replicas"], status.get("readyReplicas") or 0
    return wanted, status.get("updatedReplicas") or 0, ready, ""


def _count_replica_set(spec: Fields, status: Fields) -> tuple[int, int, int, str]:
    wanted, _, ready, _ = _count_replicas(spec, status)
    return wanted, wanted, ready, ""  # it never updates pods


def _count_daemons(spec: Fields, status: Fields) -> tuple[int, int, int, str]:
    wanted, ready = status.get("desiredNumberScheduled") or 0, status.get("numberReady") or 0
    return wanted, status.get("updatedNumberScheduled") or 0, ready, ""


def _count_completions(spec: Fields, status: Fields) -> tuple[int, int, int, str]:
    wanted, ready = spec.get("completions") or spec.get("parallelism") or 1, status.get("succeeded") or 0
    text = _finished(status) or f"{status.get('active') or 0} active, {status.get('failed') or 0} failed"
    return wanted, 0, ready, text


def _count_tasks(spec: Fields, status: Fields) -> tuple[int, int, int, str]:
    wanted = sum(task.get("replicas") or 0 for task in spec.get("tasks") or ())
    return wanted, 0, status.get("succeeded") or 0, str((status.get("state") or {}).get("phase") or "Pending")


_COUNTS = {
    REPLICA_SET: _count_replica_set,
    DAEMON_SET: _count_daemons,
    JOB: _count_completions,
    VOLCANO_JOB: _count_tasks,
}


def _rollout(wanted: int, updated: int, ready: int) -> str:
    if updated < wanted:
        return f"rolling out: {updated} of {wanted} updated"
    return "complete" if ready >= wanted else f"waiting: {ready} of {wanted} ready"


def _finished(status: Mapping[str, Any]) -> str:
    for condition in status.get("conditions") or ():
        if condition.get("status") == "True" and condition.get("type") in ("Complete", "Failed", "Suspended"):
            return str(condition["type"]).lower()
    return ""


def _number(text: object) -> int | None:
    return int(text) if isinstance(text, str) and text.isdigit() else None


# How large a group is: its present, smallest and largest size, and a text.


def _machines(found: Resource, spec: Fields, status: Fields) -> tuple[list[Any], str]:
    bounds = [_number(found.annotations.get(f"{_BOUNDS}{end}")) for end in ("min-size", "max-size")]
    text = f"{status.get('readyReplicas') or 0} ready, wants {spec.get('replicas') or 0}"
    return [status.get("replicas") or 0, *bounds], text


def _node_pool(found: Resource, spec: Fields, status: Fields) -> tuple[list[Any], str]:
    limits = spec.get("limits") or {}
    return [status.get("nodes"), None, None], ", ".join(f"at most {most} {name}" for name, most in limits.items())


def _pod_autoscaler(found: Resource, spec: Fields, status: Fields) -> tuple[list[Any], str]:
    target = spec.get("scaleTargetRef") or {}
    sizes = [status.get("currentReplicas") or 0, spec.get("minReplicas") or 1, spec.get("maxReplicas")]
    return sizes, f"scales {target.get('kind')}/{target.get('name')}, wants {status.get('desiredReplicas') or 0}"


_BOUNDS = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
_SIZES = {MACHINE_DEPLOYMENT: _machines, NODE_POOL: _node_pool, HORIZONTAL_POD_AUTOSCALER: _pod_autoscaler}
