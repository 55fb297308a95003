"""Small pods and nodes, as manifests and as the objects that the store holds.

Nodes have 4 CPUs and 8Gi and take 110 pods, pods ask for 1 CPU and 1Gi, unless a test says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable

SPECS = SpecTable()
HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
DURATION = "wavetank.dev/duration"

Manifest = dict[str, Any]


def pod_manifest(
    name: str = "p",
    node: str = "",
    *,
    cpu: str | None = "1",
    memory: str | None = "1Gi",
    requests: Mapping[str, Any] | None = None,
    ports: list[dict[str, Any]] | None = None,
    duration: str = "",
    status: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Manifest:
    """Returns a pod of one container.

    `requests` replaces `cpu` and `memory`, of which None and "" stand for no request. A `duration` is written as an
    annotation, `node` as nodeName. `labels`, `annotations` and `metadata` go into the metadata; other fields are
    of the spec.
    """
    metadata = _metadata(name, {"namespace": "default"}, fields)
    if duration:
        metadata["annotations"] = {DURATION: duration, **metadata.get("annotations", {})}
    asked = _given(cpu=cpu or None, memory=memory or None) if requests is None else dict(requests)
    container = {"name": "main", "image": "app:1", **({"resources": {"requests": asked}} if asked else {})}
    spec = {"containers": [{**container, **_given(ports=ports)}], **_given(nodeName=node or None), **fields}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, **_given(status=status)}


def node_manifest(
    name: str = "n",
    *,
    cpu: str | int = "4",
    memory: str = "8Gi",
    pods: str | int = "110",
    extended: Mapping[str, Any] | None = None,
    zone: str | None = None,
    taints: list[dict[str, str]] | None = None,
    status: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Manifest:
    """Returns a node with its hostname as a label.

    `extended` are further resources. `labels`, `annotations` and `metadata` go into the metadata; other fields are
    of the spec.
    """
    metadata = _metadata(name, {}, fields)
    metadata["labels"] = {HOSTNAME: name, **_given(**{ZONE: zone}), **metadata.get("labels", {})}
    allocatable = {"cpu": cpu, "memory": memory, "pods": pods, **(extended or {})}
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {**_given(taints=taints), **fields}}
    return {**manifest, "status": {"allocatable": allocatable, "capacity": allocatable, **(status or {})}}


def a_pod(name: str = "p", node: str = "", **fields: Any) -> Pod:
    return Pod.parse(pod_manifest(name, node, **fields), SPECS)


def a_node(name: str = "n", **fields: Any) -> Node:
    return Node(node_manifest(name, **fields))


def a_taint(key: str = "k", effect: str = "NoSchedule", **fields: str) -> dict[str, str]:
    return {"key": key, "effect": effect, **fields}


def _metadata(name: str, usual: Mapping[str, str], fields: dict[str, Any]) -> dict[str, Any]:
    given = _given(labels=fields.pop("labels", None), annotations=fields.pop("annotations", None))
    return {"name": name, **usual, **given, **fields.pop("metadata", {})}


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
