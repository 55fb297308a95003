"""Manifests of nodes: from a few figures, or from one that is described once and counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from wavetank.cluster.fields.selectors import read_node_name
from wavetank.cluster.fields.taints import Taint
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
ZONES = (ZONE, "failure-domain.beta.kubernetes.io/zone")
MOST_PODS = 110  # per node: the kubelet's default
STATE_TAINTS = "node.kubernetes.io/"  # begins taints that Kubernetes sets because of the state of a node
COUNT = "wavetank.dev/count"  # annotation of a Node: how many like it there are


def node_manifest(name: str, labels: dict[str, str], capacity: dict[str, str], **metadata: Any) -> dict[str, Any]:
    """Returns the manifest of a ready node without taints, of which pods may use all of the capacity."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOSTNAME: name, **labels}, **metadata},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        },
    }


def copies_of(manifest: Manifest) -> Sequence[Manifest]:
    """Returns the nodes that a Node with the annotation wavetank.dev/count stands for; anything else is itself.

    They are named `<name>-<number>`, from 0; their label kubernetes.io/hostname, if there is one, follows.
    """
    metadata = manifest.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    if manifest.get("kind") != "Node" or COUNT not in annotations:
        return [manifest]
    text, path = annotations[COUNT], f"metadata.annotations.{COUNT}"
    size = fields.integer(int(text) if text.isdecimal() and len(text) < 10 else text, path, 1, fields.MOST_OBJECTS)
    rest = {key: value for key, value in annotations.items() if key != COUNT}
    template = {**manifest, "metadata": {**metadata, "annotations": rest}}
    return list(named_nodes(template, (f"{metadata['name']}-{i}" for i in range(size))))


def named_nodes(template: Manifest, names: Iterable[str]) -> Iterator[Manifest]:
    """Yields a node like the template for each name."""
    metadata = template.get("metadata") or {}
    labels = metadata.get("labels") or {}
    for name in names:
        try:
            read_node_name(name)
        except InputError as error:
            raise error.inside(path="metadata.name") from None
        own = {**labels, HOSTNAME: name} if HOSTNAME in labels else labels
        yield {**template, "metadata": {**metadata, "name": name, "labels": own}}


def own_taints(node: Node) -> tuple[Taint, ...]:
    """Returns the taints of a node that Kubernetes has not set because of its state."""
    return tuple(taint for taint in node.taints if not taint.key.startswith(STATE_TAINTS))


def like(node: Node) -> Manifest:
    """Returns a manifest for new nodes like this one: ready, schedulable, with its labels and its own taints."""
    rendered = node.render()
    metadata = rendered["metadata"]
    labels = {**(metadata.get("labels") or {}), HOSTNAME: node.name}
    kept = {"name": node.name, "labels": labels, "annotations": dict(node.annotations)}
    taints = [taint.render() for taint in own_taints(node)]
    status = {key: value for key, value in (rendered.get("status") or {}).items() if key in ("allocatable", "capacity")}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": kept,
        "spec": {"taints": taints} if taints else {},
        "status": {**status, "conditions": [ready]},
    }


def zone_of(node: Node) -> str:
    """Returns the zone of a node, "" if it has none."""
    return next((node.labels[key] for key in ZONES if key in node.labels), "")
