"""Small pods and nodes: as manifests, and as the objects that the store holds."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable

SPECS = SpecTable()


def pod_manifest(name: str = "a", *, status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}
    manifest["spec"] = {"containers": [{"name": "main", "image": "busybox"}], **spec}
    return manifest if status is None else {**manifest, "status": status}


def node_manifest(name: str = "n", *, status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    manifest["status"] = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}, **(status or {})}
    return {**manifest, "spec": spec} if spec else manifest


def a_pod(name: str = "a", **spec: Any) -> Pod:
    return Pod.parse(pod_manifest(name, **spec), SPECS)


def a_node(name: str = "n", **spec: Any) -> Node:
    return Node(node_manifest(name, **spec))
