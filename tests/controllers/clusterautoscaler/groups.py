"""Small node groups and templates."""

from __future__ import annotations

from tests.support.objects import node_manifest
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroup
from wavetank.controllers.clusterautoscaler.options import GroupOptions
from wavetank.controllers.clusterautoscaler.templates import NodeTemplate


def a_group(name: str, target: int, most: int, price: float | None = None) -> NodeGroup:
    """Returns a group of a size."""
    manifest = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "MachineSet", "metadata": {"name": name}}
    return NodeGroup(name, Resource(manifest), 0, most, target, GroupOptions(), price)


def a_template(name: str = "template", **fields: object) -> NodeTemplate:
    """Returns a node without pods."""
    return NodeTemplate(Node(node_manifest(name, **fields)), ())  # type: ignore[arg-type]
