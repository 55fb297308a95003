"""Workloads of owners: their names, documents and priorities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any

from wavetank.cluster.objects.groupkinds import PRIORITY_CLASS, WORKLOAD_PRIORITY_CLASS
from wavetank.cluster.objects.kinds import PriorityClass
from wavetank.cluster.objects.kueue import API_VERSION, GROUP, IN_USE, JOB_UID, PRIORITY_CLASS_LABEL
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.kueue.objects.clusterqueues import FlavorSpec

_LONGEST_PREFIX = 247

Document = dict[str, Any]


def workload_name(kind: str, group: str, name: str, uid: str) -> str:
    """Returns the name of the Workload of an owner, as Kueue makes it."""
    digest = sha1("\n".join((kind, group, name, uid)).encode(), usedforsecurity=False).hexdigest()
    return f"{f'{kind.lower()}-{name}'[:_LONGEST_PREFIX]}-{digest[:5]}"


def make_workload(store: Store, owner: Resource, name: str, queue: str, pod_sets: Sequence[Document]) -> Document:
    """Returns the Workload of an owner, without owner references."""
    metadata: Document = {
        "name": name,
        "namespace": owner.namespace,
        "labels": {JOB_UID: owner.uid},
        "finalizers": [IN_USE],
    }
    spec: Document = {
        "podSets": list(pod_sets),
        "queueName": queue,
        "active": True,
        **_priority(store, owner, pod_sets),
    }
    return {"apiVersion": API_VERSION, "kind": "Workload", "metadata": metadata, "spec": spec}


def _priority(store: Store, owner: Resource, pod_sets: Sequence[Document]) -> Document:
    """Returns the priority: of the WorkloadPriorityClass that the owner names, or of its pods' PriorityClass."""
    name = owner.labels.get(PRIORITY_CLASS_LABEL)
    if name:
        found = store.find(WORKLOAD_PRIORITY_CLASS, "", name)
        value = int(found.manifest.get("value") or 0) if found is not None else 0
        return {
            "priority": value,
            "priorityClassRef": {"group": GROUP, "kind": "WorkloadPriorityClass", "name": name},
        }
    named = next((found for each in pod_sets if (found := each["template"]["spec"].get("priorityClassName"))), "")
    of_pods = _pod_priority(store, named)
    if of_pods is None:
        return {"priority": 0}
    reference = {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": of_pods.name}
    return {"priority": of_pods.value, "priorityClassRef": reference}


def _pod_priority(store: Store, name: str) -> PriorityClass | None:
    if name:
        found = store.find(PRIORITY_CLASS, "", name)
        return found if isinstance(found, PriorityClass) else None
    defaults = [each for each in store.list(PRIORITY_CLASS) if each.global_default]
    return min(defaults, key=lambda each: each.value, default=None)


def with_flavors(template: Mapping[str, Any], flavors: Sequence[FlavorSpec], metadata: Mapping[str, Any]) -> Document:
    """Returns a pod template that runs on nodes of its flavors only; `metadata` adds labels and annotations."""
    spec = dict(template["spec"])
    selector = {name: value for flavor in flavors for name, value in flavor.labels.items()}
    if selector:
        spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **selector}
    tolerations = [each for flavor in flavors for each in flavor.manifest_tolerations]
    if tolerations:
        present = list(spec.get("tolerations") or ())
        spec["tolerations"] = present + [each for each in tolerations if each not in present]
    head = dict(template.get("metadata") or {})
    for field, added in metadata.items():
        head[field] = {**(head.get(field) or {}), **added}
    return {**template, "metadata": head, "spec": spec}
