"""Whether the nodes of node groups can hold the DaemonSets of an experiment."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.fields.resources import CPU, MEMORY, Amounts, format_amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec, SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.controllers.framework.daemontolerations import with_daemon_tolerations
from wavetank.errors import InputError
from wavetank.simulation.scaling.scalablegroup import ScalableGroup

_FIELDS = {CPU: "cpu", MEMORY: "memory"}


def check_daemon_sets(groups: Sequence[ScalableGroup], manifests: Sequence[Manifest], path: str) -> None:
    """Raises InputError if the DaemonSets that run on the nodes of a group need more than such a node has."""
    daemon_sets = {each["metadata"]["name"]: _spec(each) for each in manifests if each.get("kind") == "DaemonSet"}
    for i, group in enumerate(groups):
        node = _node(group)
        there = {name: spec for name, spec in daemon_sets.items() if _runs_on(spec, node)}
        for resource, field in _FIELDS.items():
            needed = sum(spec.requests.get(resource, 0) for spec in there.values())
            if needed > node.allocatable.get(resource, 0):
                problem = f"the DaemonSets of a node need {_text({resource: needed})}: {', '.join(there)}"
                raise InputError(problem, path=f"{path}[{i}].{field}")


def _spec(manifest: Manifest) -> PodSpec:
    template = (manifest.get("spec") or {}).get("template") or {}
    return SpecTable().intern(with_daemon_tolerations(template.get("spec") or {}))


def _node(group: ScalableGroup) -> Node:
    made = group.node(group.name)
    return Node({"apiVersion": "v1", "kind": "Node", **made, "metadata": {**made["metadata"], "name": group.name}})


def _runs_on(spec: PodSpec, node: Node) -> bool:
    if not spec.node_affinity.matches(node.labels, node.name):
        return False
    hard = (taint for taint in node.taints if taint.effect in ("NoSchedule", "NoExecute"))
    return all(spec.tolerations.accept(taint) for taint in hard)


def _text(amounts: Amounts) -> str:
    return ", ".join(f"{amount} {name}" for name, amount in format_amounts(amounts).items())
