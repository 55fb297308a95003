"""The state of a simulation as K8sSim's servers send it: Kubernetes objects, and Volcano's jobs and nodes as in Go."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, Amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import FAILED, RUNNING, SUCCEEDED
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.k8ssim.demand import GPU
from wavetank.results.recording.k8ssimtasks import TaskRow

Document = dict[str, Any]

_YEAR_ONE = datetime(1, 1, 1)
# Volcano's statuses of tasks, as numbers.
_PENDING, _BINDING, _RUNNING, _SUCCEEDED = 1, 8, 32, 128


def time_text(time: Nanoseconds | None) -> str | None:
    """Returns a time in Kubernetes' format, counted from the year one; the zero time is None, as in Go."""
    if not time:
        return None
    return (_YEAR_ONE + timedelta(seconds=time // SECOND)).isoformat() + "Z"


def clock_text(time: Nanoseconds) -> str:
    """Returns a time in the format in which Go prints it."""
    return f"{_YEAR_ONE + timedelta(seconds=time // SECOND)} +0000 UTC"


def pod_document(row: TaskRow) -> Document:
    """Returns a pod with K8sSim's status, in which the container is `terminated` as soon as the pod is bound."""
    pod = row.pod
    document = pod.render()
    document["metadata"] = {**document["metadata"], "creationTimestamp": time_text(pod.created)}
    status: Document = {"phase": pod.phase, "startTime": time_text(pod.started)}
    if pod.reason:
        status |= {"reason": pod.reason, "message": pod.message}
    if row.bound is not None:
        terminated = {"exitCode": 0, "startedAt": time_text(row.bound), "finishedAt": time_text(row.ended)}
        container = document["spec"]["containers"][0]["name"]
        state = {"name": container, "restartCount": pod.restarts, "state": {"terminated": terminated}}
        status["containerStatuses"] = [state]
    document["status"] = status
    return document


def node_document(node: Node, used: Amounts) -> Document:
    """Returns a node as K8sSim sends it: `capacity` has the requests of its pods, with CPU in thousandths."""
    status = node.manifest.get("status") or {}
    capacity = {"cpu": str(used.get(CPU, 0)), "memory": str(used.get(MEMORY, 0)), GPU: str(used.get(GPU, 0))}
    return {
        "metadata": {"name": node.name, "creationTimestamp": None, "labels": dict(node.labels)},
        "spec": dict(node.manifest.get("spec") or {}),
        "status": {"capacity": capacity, "allocatable": dict(status.get("allocatable") or {})},
    }


def used_by_node(rows: Iterable[TaskRow]) -> defaultdict[str, Counter[str]]:
    """Returns the requests of unfinished pods by node."""
    used: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.pod.node_name and not row.pod.finished:
            used[row.pod.node_name].update(row.pod.spec.requests)
    return used


def job_document(name: str, rows: list[TaskRow], min_available: int) -> Document:
    """Returns a job as in Volcano's cache, as far as K8sSim's clients read it."""
    first = rows[0].pod
    created = time_text(min(row.pod.created for row in rows))
    return {
        "UID": f"{first.namespace}/{name}",
        "Name": name,
        "Namespace": first.namespace,
        "Queue": first.annotations.get("volcano.sh/queue-name", "default"),
        "MinAvailable": min_available,
        "CreationTimestamp": created,
        "SubTimestamp": created,
        "Tasks": {_task_id(row): _task_document(row, name) for row in sorted(rows, key=_task_id)},
    }


def _task_id(row: TaskRow) -> str:
    return f"{row.pod.namespace}-{row.pod.name}"


def _task_document(row: TaskRow, job: str) -> Document:
    pod = row.pod
    return {
        "UID": _task_id(row),
        "Job": f"{pod.namespace}/{job}",
        "Name": _task_id(row),
        "Namespace": pod.namespace,
        "NodeName": pod.node_name,
        "Status": _status(row),
        "Priority": 1,
        "Resreq": _resource(pod.spec.requests),
        "Pod": pod_document(row),
        "SimEndTimestamp": time_text(row.ended),
    }


def _status(row: TaskRow) -> int:
    if row.pod.phase in (SUCCEEDED, FAILED):
        return _SUCCEEDED  # K8sSim has this status for terminated tasks too
    if row.pod.phase == RUNNING:
        return _RUNNING
    return _PENDING if row.bound is None else _BINDING


def node_book(node: Node, used: Amounts) -> Document:
    """Returns a node's resources as in Volcano's cache."""
    idle = {name: amount - used.get(name, 0) for name, amount in node.allocatable.items() if name != PODS}
    return {
        "Name": node.name,
        "Allocatable": _resource(node.allocatable),
        "Capability": _resource(node.allocatable),
        "Used": _resource(used),
        "Idle": _resource(idle),
    }


def _resource(amounts: Amounts) -> Document:
    scalars = {name: amount * 1000 for name, amount in amounts.items() if name not in (CPU, MEMORY, PODS)}
    return {
        "MilliCPU": amounts.get(CPU, 0),
        "Memory": amounts.get(MEMORY, 0),
        "ScalarResources": scalars or None,
        "MaxTaskNum": amounts.get(PODS, 0),
    }
