"""Nodes that an experiment describes by groups of equal ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from wavetank.cluster.fields.load import LOAD, write_load
from wavetank.cluster.fields.power import POWER
from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.fields.selectors import read_label_value, read_node_name
from wavetank.cluster.fields.taints import parse_taints
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import patterns, reading, types
from wavetank.documents.reading import MOST_OBJECTS
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest
from wavetank.workloads.nodepower import PowerSpec

_TAINT = ("key", "value", "effect", "timeAdded")
_ZONE = "topology.kubernetes.io/zone"
_SHARE = re.compile(r"(?:100|[0-9]{1,2})(?:\.[0-9]+)?%")


def _read_zone(value: object, path: str) -> str:
    try:
        return read_label_value(value)
    except InputError as error:
        raise error.inside(path=path) from None


def _read_taints(value: object, path: str) -> list[Any]:
    parse_taints(value, path=path)
    for i, taint in enumerate(value if isinstance(value, list) else ()):
        reading.mapping(taint, f"{path}[{i}]", _TAINT)
    return value if isinstance(value, list) else []


def _read_load(value: object, path: str) -> dict[str, str]:
    load = {name: str(amount) for name, amount in reading.mapping(value, path).items()}
    for name, amount in load.items():
        if not amount.endswith("%"):
            reading.amount(amount, f"{path}.{name}", name)
        elif not _SHARE.fullmatch(amount):
            raise InputError(f"expected a share such as 20% or an amount, got {amount!r:.60}", path=f"{path}.{name}")
    return load


_zone = Type("text", _read_zone, patterns.LABEL_VALUE)
_taint = {"type": "object", "properties": {name: {} for name in _TAINT}, "additionalProperties": False}
TAINTS = Type("list", _read_taints, {"type": ["array", "null"], "minItems": 1, "items": _taint})
_load = Type(
    "shares or quantities by name",
    _read_load,
    {
        "type": "object",
        "additionalProperties": {"anyOf": [patterns.QUANTITY, {"type": "string", "pattern": f"^{_SHARE.pattern}$"}]},
    },
)


class NodeGroup(Structure):
    """A group of equal nodes."""

    count: int = field(types.integer(1, MOST_OBJECTS), default=1, doc="how many equal nodes")
    name: str = field(
        types.text, default="node", doc="they are called `<name>-<number>`, from 0 over all groups of that name"
    )
    cpu: int = field(types.amount(CPU), doc="CPU of a node, all of it allocatable")
    memory: int = field(types.amount(MEMORY), doc="memory of a node, all of it allocatable")
    pods: int = field(types.integer(), default=MOST_PODS, doc="how many pods fit on a node")
    resources: Mapping[str, int] = field(types.amounts, default={}, doc="other resources, such as `nvidia.com/gpu: 8`")
    labels: dict[str, str] = field(types.labels, default={}, doc="labels besides `kubernetes.io/hostname`")
    annotations: Mapping[str, str] = field(
        types.strings,
        default={},
        doc="annotations, such as `wavetank.dev/latency: 20ms` for [topsis](../schedulers.md#topsis)",
    )
    taints: list[Any] | None = field(
        TAINTS, default=None, otherwise="[]", doc="taints as in a Node: `{key, value, effect}`"
    )
    zone: list[str] | None = field(
        types.nullable(types.one_or_more(_zone, "text or list of texts")),
        default=None,
        doc="the label `topology.kubernetes.io/zone`; a list is assigned in turn",
    )
    load: dict[str, str] = field(_load, default={}, doc="what is used besides pods, such as `{cpu: 20%, memory: 3Gi}`")
    power: PowerSpec | None = field(
        types.nested(PowerSpec), default=None, otherwise="none", doc="watts of a node, such as `{idle: 95, full: 190}`"
    )

    @property
    def capacity(self) -> dict[str, str]:
        """Returns the capacity of each node."""
        amounts = {CPU: self.cpu, MEMORY: self.memory, PODS: self.pods, **self.resources}
        return format_amounts(amounts)


NODE_GROUPS = types.items(types.nested(NodeGroup))


def make_nodes(groups: Sequence[NodeGroup], path: str) -> list[Manifest]:
    """Makes the nodes of groups: `<name>-<number>`, numbered from 0 over all groups of that name."""
    counters: dict[str, Iterator[int]] = {}
    return [node for i, group in enumerate(groups) for node in _nodes(group, f"{path}[{i}]", counters)]


def _nodes(group: NodeGroup, path: str, counters: dict[str, Iterator[int]]) -> Iterator[Manifest]:
    numbers = counters.setdefault(group.name, count())
    zones = [{_ZONE: zone} for zone in group.zone or ()] or [{}]
    capacity, annotations = group.capacity, _annotations(group, path)
    for i in range(group.count):
        name = _node_name(f"{group.name}-{next(numbers)}", f"{path}.name")
        node = node_manifest(name, {**group.labels, **zones[i % len(zones)]}, capacity, **annotations)
        yield {**node, "spec": {"taints": group.taints}} if group.taints else node


def _annotations(group: NodeGroup, path: str) -> dict[str, Any]:
    """Returns annotations, given ones and those for load and power, as part of the metadata, if there are any."""
    for name in group.load:
        if name not in group.capacity:
            raise InputError(f"the nodes have no {name} that could be in use", path=f"{path}.load.{name}")
    annotations = dict(group.annotations)
    if group.load:
        annotations[LOAD] = write_load(group.load)
    if group.power is not None:
        annotations[POWER] = group.power.annotation()
    return {"annotations": annotations} if annotations else {}


def _node_name(name: str, path: str) -> str:
    try:
        return read_node_name(name)
    except InputError as error:
        raise error.inside(path=path) from None
