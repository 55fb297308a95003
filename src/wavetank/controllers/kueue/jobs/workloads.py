"""Workloads of owners: their names and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any

from wavetank.cluster.objects.kueue import (
    API_VERSION,
    GROUP,
    IN_USE,
    JOB_UID,
    PREFERRED_TOPOLOGY,
    REQUIRED_TOPOLOGY,
    TOPOLOGY_GATE,
    UNCONSTRAINED_TOPOLOGY,
)
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.kueue.jobs.priorities import read_priority
from wavetank.controllers.kueue.objects.clusterqueues import FlavorSpec
from wavetank.controllers.kueue.topology.requests import POD_SET_GROUP, PREFERRED, REQUIRED, SLICES, UNCONSTRAINED

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
        **read_priority(store, owner, pod_sets),
    }
    return {"apiVersion": API_VERSION, "kind": "Workload", "metadata": metadata, "spec": spec}


def topology_request(annotations: Mapping[str, str], index_label: str = "") -> Document:
    """Returns the topologyRequest of a pod set by the annotations of its pods, empty if they ask for none.

    `index_label` is the label of the pods with their index, if they may have one.
    """
    asked: Document = {"podIndexLabel": index_label} if index_label else {}
    if REQUIRED_TOPOLOGY in annotations:
        asked[REQUIRED] = annotations[REQUIRED_TOPOLOGY]
    elif PREFERRED_TOPOLOGY in annotations:
        asked[PREFERRED] = annotations[PREFERRED_TOPOLOGY]
    elif UNCONSTRAINED_TOPOLOGY in annotations:
        asked[UNCONSTRAINED] = annotations[UNCONSTRAINED_TOPOLOGY] in _TRUE
    level, size = (annotations.get(f"{GROUP}/podset-slice-{name}") for name in ("required-topology", "size"))
    if level is not None and size is not None:
        asked |= {SLICES: level, "podSetSliceSize": int(size)}
    group = annotations.get(f"{GROUP}/podset-group-name")
    if group is not None and (REQUIRED in asked or PREFERRED in asked):
        asked[POD_SET_GROUP] = group
    return {"topologyRequest": asked} if asked else {}


_TRUE = ("1", "t", "T", "true", "TRUE", "True")


def gated_for_topology(template: Mapping[str, Any], asked: bool) -> Document:
    """Returns a pod template whose pods wait for their domain; `asked`: their annotations say which they want."""
    head, spec = dict(template.get("metadata") or {}), dict(template["spec"])
    if not asked:
        head["annotations"] = {**(head.get("annotations") or {}), UNCONSTRAINED_TOPOLOGY: "true"}
    spec["schedulingGates"] = [*(spec.get("schedulingGates") or ()), {"name": TOPOLOGY_GATE}]
    return {**template, "metadata": head, "spec": spec}


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
