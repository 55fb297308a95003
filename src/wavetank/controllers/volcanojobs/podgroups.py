"""The PodGroup of a Volcano Job."""

from __future__ import annotations

from collections import Counter

from wavetank.cluster.fields.resources import format_amounts, pod_requests
from wavetank.cluster.objects.groupkinds import PRIORITY_CLASS
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.volcano import API_VERSION
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.volcanojobs.pods import group_name
from wavetank.controllers.volcanojobs.spec import JobSpec, TaskSpec


def group_document(job: Resource, spec: JobSpec, store: Store) -> Document:
    """Returns the PodGroup of a job as Volcano's controller creates it."""
    metadata: Document = {"name": group_name(job), "namespace": job.namespace}
    metadata |= {"annotations": {**job.annotations}} if job.annotations else {}
    metadata |= {"labels": {**job.labels}} if job.labels else {}
    metadata["ownerReferences"] = [controller_reference(job)]
    return {
        "apiVersion": API_VERSION,
        "kind": "PodGroup",
        "metadata": metadata,
        "spec": group_spec(spec, store),
    }


def group_spec(spec: JobSpec, store: Store) -> Document:
    """Returns the spec of a job's PodGroup."""
    group: Document = {
        "minMember": spec.min_available,
        "minTaskMember": {task.name: task.min_available for task in spec.tasks},
        "minResources": format_amounts(_least_resources(spec, store)),
        "queue": spec.queue,
    }
    if spec.priority_class:
        group["priorityClassName"] = spec.priority_class
    return group


def _least_resources(spec: JobSpec, store: Store) -> dict[str, int]:
    """Returns the requests of the first `minAvailable` pods, those of tasks with higher priority first.

    If the job's minimum covers the minima of all tasks, these count first and the rest is filled up by priority.
    """
    tasks = sorted(spec.tasks, key=lambda task: -_priority(task, store))
    total: Counter[str] = Counter()
    left = spec.min_available
    if left < sum(task.min_available for task in tasks):
        counts = [(task, task.replicas) for task in tasks]
    else:
        counts = [(task, task.min_available) for task in tasks]
        counts += [(task, task.replicas - task.min_available) for task in tasks]
    for task, number in counts:
        taken = min(number, left)
        left -= taken
        requests = pod_requests(task.template.get("spec") or {})
        total.update({name: amount * taken for name, amount in requests.items()})
    return dict(total)


def _priority(task: TaskSpec, store: Store) -> int:
    name = str((task.template.get("spec") or {}).get("priorityClassName") or "")
    priority_class = store.find(PRIORITY_CLASS, "", name) if name else None
    return int(priority_class.manifest.get("value") or 0) if priority_class is not None else 0
