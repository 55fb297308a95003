"""The cluster that a run begins with: from files, or from groups of nodes in an experiment."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from wavetank.cluster.fields.load import LOAD, write_load
from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.fields.selectors import read_node_name
from wavetank.cluster.fields.taints import parse_taints
from wavetank.cluster.objects.kinds import Namespace, PriorityClass
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.documentfields import NODE_GROUP
from wavetank.workloads.manifests.objects import object_of

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
MOST_PODS = 110  # per node: the kubelet's default

_PERCENTAGE = re.compile(r"(?:100|[0-9]{1,2})(?:\.[0-9]+)?%")


@dataclass(frozen=True)
class Cluster:
    """The objects that are there when a run begins; `sources` names the files they came from.

    Whoever read the manifests has made sure that objects can be made of them. At least one is a Node, and no two of a
    kind share a name. A pod may be bound to a node that is not there, as in a snapshot of part of a cluster: it stays
    where it is and disturbs nobody.
    """

    manifests: Sequence[Manifest]
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            names = _unique_names(self.manifests)
            if not names[Node.kind]:
                raise InputError("a cluster needs at least one Node")
        except InputError as error:
            raise error.inside(source=", ".join(self.sources)) from None

    @property
    def node_names(self) -> list[str]:
        """Returns the names of the nodes."""
        return [Resource(manifest).name for manifest in self.manifests if manifest.get("kind") == Node.kind]

    @property
    def description(self) -> str:
        """Says what it is in a few words: 16 nodes and 3 other objects from platform.xml, pods.yaml."""
        nodes = sum(manifest.get("kind") == Node.kind for manifest in self.manifests)
        others = len(self.manifests) - nodes
        words = _counted(nodes, "node") + (f" and {_counted(others, 'other object')}" if others else "")
        return f"{words} from {', '.join(self.sources)}" if self.sources else words

    def resources(self, specs: SpecTable) -> list[Resource]:
        """Returns new objects for one run: nodes first, pods last, otherwise in the order of the files."""
        made = [object_of(manifest, specs) for manifest in self.manifests]
        return sorted(made, key=lambda resource: _TURNS.get(resource.manifest_kind, 1))


_TURNS = {"Node": 0, "Pod": 2}  # what pods refer to is there before them


def node_groups(groups: object, path: str) -> list[Manifest]:
    """Makes the nodes of an experiment's groups.

    A group is {count: 1, name: node, cpu, memory, pods: 110, resources: {}, labels: {}, taints: [], zone, load: {}}.
    Its nodes are `<name>-<number>`, numbered from 0 over all groups of that name; zones are dealt in turn.
    """
    counters: dict[str, Iterator[int]] = {}
    nodes: list[Manifest] = []
    for i, group in enumerate(fields.items(groups, path)):
        nodes.extend(_group(fields.mapping(group, f"{path}[{i}]", NODE_GROUP), f"{path}[{i}]", counters))
    return nodes


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


def _group(group: Mapping[str, Any], path: str, counters: dict[str, Iterator[int]]) -> Iterator[Manifest]:
    size = fields.integer(group.get("count", 1), f"{path}.count", 1, fields.MOST_OBJECTS)
    name = fields.text(group.get("name", "node"), f"{path}.name")
    capacity = _capacity(group, path)
    labels = fields.labels(group.get("labels", {}), f"{path}.labels")
    taints = _taints(group.get("taints"), f"{path}.taints")
    zones = _zones(group.get("zone"), f"{path}.zone")
    annotated = _load(group.get("load", {}), f"{path}.load", capacity)
    numbers = counters.setdefault(name, count())
    for i in range(size):
        node_name = _node_name(f"{name}-{next(numbers)}", f"{path}.name")
        node = node_manifest(node_name, {**labels, **zones[i % len(zones)]}, capacity, **annotated)
        yield {**node, "spec": {"taints": taints}} if taints else node


def _load(value: object, path: str, capacity: Mapping[str, str]) -> dict[str, Any]:
    """Returns the annotation of a load that no pod asks for, as part of the metadata; nothing if there is none."""
    load = {name: str(amount) for name, amount in fields.mapping(value, path).items()}
    for name, amount in load.items():
        if name not in capacity:
            raise InputError(f"the nodes have no {name} that could be in use", path=f"{path}.{name}")
        if not amount.endswith("%"):
            fields.amounts({name: amount}, path)
        elif not _PERCENTAGE.fullmatch(amount):
            raise InputError(f"expected a share such as 20% or an amount, got {amount!r:.60}", path=f"{path}.{name}")
    return {"annotations": {LOAD: write_load(load)}} if load else {}


def _capacity(group: Mapping[str, Any], path: str) -> dict[str, str]:
    for field in (CPU, MEMORY):
        if field not in group:
            raise InputError(f"a group of nodes needs its {field}", path=path)
    capacity = fields.amounts({CPU: group[CPU], MEMORY: group[MEMORY]}, path)
    capacity[PODS] = fields.integer(group.get("pods", MOST_PODS), f"{path}.pods")
    return format_amounts(capacity | fields.amounts(group.get("resources", {}), f"{path}.resources"))


def _taints(value: object, path: str) -> list[Any]:
    parse_taints(value, path=path)
    return value if isinstance(value, list) else []


def _zones(value: object, path: str) -> list[dict[str, str]]:
    if value is None:
        return [{}]
    names = value if isinstance(value, list) else [value]
    return [fields.labels({ZONE: name}, path) for name in fields.items(names, path)]


def _node_name(name: str, path: str) -> str:
    try:
        return read_node_name(name)
    except InputError as error:
        raise error.inside(path=path) from None


def _unique_names(manifests: Sequence[Manifest]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for resource in map(Resource, manifests):
        cluster_wide = resource.manifest_kind in (Node.kind, Namespace.kind, PriorityClass.kind)
        name = resource.name if cluster_wide else f"{resource.namespace}/{resource.name}"
        if name in names[resource.group_kind]:
            raise InputError(f'a second {resource.manifest_kind} "{name}": names must be unique')
        names[resource.group_kind].add(name)
    return names


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
