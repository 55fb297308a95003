"""The pods of a Volcano Job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.volcano import GROUP_NAME
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.volcanojobs.spec import JobSpec, TaskSpec

TASK_INDEX, TASK_SPEC = "volcano.sh/task-index", "volcano.sh/task-spec"
JOB_NAME, JOB_NAMESPACE = "volcano.sh/job-name", "volcano.sh/job-namespace"
QUEUE_NAME, JOB_VERSION = "volcano.sh/queue-name", "volcano.sh/job-version"
RETRY_COUNT, TEMPLATE_UID = "volcano.sh/job-retry-count", "volcano.sh/template-uid"

# Annotations and labels of a job that its pods inherit.
_INHERITED = (
    *("volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone"),
    *("volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"),
)
_INHERITED_LABELS = _INHERITED[:2]


def group_name(job: Resource) -> str:
    """Returns the name of a job's PodGroup."""
    return f"{job.name}-{job.uid}"


def pod_name(job: Resource, task: TaskSpec, index: int) -> str:
    """Returns the name of one of a task's pods."""
    return f"{job.name}-{task.name}-{index}"


def pod_document(job: Resource, spec: JobSpec, task: TaskSpec, index: int, status: Mapping[str, Any]) -> Document:
    """Returns a pod of a task as Volcano's controller creates it."""
    template = task.template
    metadata = template.get("metadata") or {}
    shared = {TASK_INDEX: str(index), TASK_SPEC: task.name, JOB_NAME: job.name, QUEUE_NAME: spec.queue}
    annotations = {
        **(metadata.get("annotations") or {}),
        **shared,
        GROUP_NAME: group_name(job),
        JOB_VERSION: str(status.get("version") or 0),
        TEMPLATE_UID: f"{job.name}-{task.name}",
        RETRY_COUNT: str(status.get("retryCount") or 0),
        **{key: value for key, value in job.annotations.items() if key in _INHERITED},
    }
    labels = {
        **(metadata.get("labels") or {}),
        **shared,
        JOB_NAMESPACE: job.namespace,
        **{key: value for key, value in job.labels.items() if key in _INHERITED_LABELS},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": pod_name(job, task, index),
            "namespace": job.namespace,
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [controller_reference(job)],
        },
        "spec": _pod_spec(job, spec, task, index),
    }


def _pod_spec(job: Resource, spec: JobSpec, task: TaskSpec, index: int) -> Document:
    pod_spec: Document = {**(task.template.get("spec") or {})}
    pod_spec.setdefault("schedulerName", spec.scheduler_name)
    if spec.priority_class:
        pod_spec.setdefault("priorityClassName", spec.priority_class)
    if "env" in spec.plugins:
        number = str(index)
        given = [{"name": name, "value": number} for name in ("VK_TASK_INDEX", "VC_TASK_INDEX")]
        for field in ("containers", "initContainers"):
            if pod_spec.get(field):
                pod_spec[field] = [{**each, "env": [*(each.get("env") or ()), *given]} for each in pod_spec[field]]
    if "svc" in spec.plugins:
        pod_spec.setdefault("hostname", pod_name(job, task, index))
        pod_spec.setdefault("subdomain", job.name)
    return pod_spec


def service_document(job: Resource) -> Document:
    """Returns the headless Service by which the pods of a job find each other (plugin svc)."""
    selector = {JOB_NAME: job.name, JOB_NAMESPACE: job.namespace}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": job.name, "namespace": job.namespace, "ownerReferences": [controller_reference(job)]},
        "spec": {"clusterIP": "None", "selector": selector},
    }
