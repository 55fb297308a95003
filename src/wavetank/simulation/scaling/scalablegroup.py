from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.fields.power import POWER
from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts, parse_amounts
from wavetank.cluster.objects.clusterapi import API_VERSION, CAPACITY, CLUSTER_NAME, MAX_SIZE, MIN_SIZE, PRICE
from wavetank.cluster.objects.node import PRICE as NODE_PRICE
from wavetank.cluster.objects.resource import Resource
from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Distribution
from wavetank.kernel.durations import Nanoseconds

MACHINE_DEPLOYMENT, MACHINE_SET = KINDS = ("MachineDeployment", "MachineSet")

_CLUSTER = "wavetank"  # the name of the Cluster that all machines belong to
_PLATFORM = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}
_AT_ONCE = Constant(0)
_USUAL_BOOT = Constant(60)  # seconds
_AMOUNTS = {"cpu": CPU, "memory": MEMORY, "maxPods": PODS}  # by the names of annotations


@dataclass(frozen=True, slots=True)
class Spot:
    """How machines are interrupted: after `lifetime` as nodes there is a notice, `notice` later they are gone."""

    lifetime: Distribution
    notice: Nanoseconds


@dataclass(frozen=True)
class ScalableGroup:
    """A group of equal nodes that an autoscaler may change.

    `boot` is the time from a machine's creation to its ready node, `halt` that from its deletion until the node is
    gone; `failing` is the share of machines that never become nodes. `kind` is that of its object.
    """

    name: str
    least: int
    most: int
    initial: int
    capacity: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()
    boot: Distribution = _AT_ONCE
    halt: Distribution = _AT_ONCE
    failing: float = 0.0
    price: float | None = None  # per node and hour
    spot: Spot | None = None
    kind: str = MACHINE_DEPLOYMENT
    power: str = ""  # the annotation of its nodes with their power model; empty: none

    def manifest(self) -> dict[str, Any]:
        """Returns its MachineDeployment or MachineSet."""
        announced = {"cpu": self.capacity["cpu"], "memory": self.capacity["memory"]}
        if "pods" in self.capacity:
            announced["maxPods"] = self.capacity["pods"]
        if self.labels:
            announced["labels"] = ",".join(f"{key}={value}" for key, value in self.labels.items())
        if self.taints:
            announced["taints"] = ",".join(f"{t['key']}={t.get('value', '')}:{t['effect']}" for t in self.taints)
        annotations = {MIN_SIZE: str(self.least), MAX_SIZE: str(self.most)}
        annotations |= {CAPACITY + key: value for key, value in announced.items()}
        if self.price is not None:
            annotations[PRICE] = str(self.price)
        of_cluster, of_group = {CLUSTER_NAME: _CLUSTER}, {"group": self.name}
        metadata = {"name": self.name, "namespace": "default", "labels": of_cluster, "annotations": annotations}
        spec = {
            "clusterName": _CLUSTER,
            "replicas": self.initial,
            "selector": {"matchLabels": of_group},
            "template": {"metadata": {"labels": {**of_cluster, **of_group}}},
        }
        return {"apiVersion": API_VERSION, "kind": self.kind, "metadata": metadata, "spec": spec}

    def node(self, name: str) -> dict[str, Any]:
        """Returns a node of the group: its metadata without the name, spec and status."""
        amounts = {"pods": "110", **self.capacity}
        notes = {} if self.price is None else {NODE_PRICE: str(self.price)}
        if self.power:
            notes[POWER] = self.power
        annotated = {"annotations": notes} if notes else {}
        return {
            "metadata": {"labels": {**_PLATFORM, "kubernetes.io/hostname": name, **self.labels}, **annotated},
            "spec": {"taints": [dict(taint) for taint in self.taints]} if self.taints else {},
            "status": {"capacity": amounts, "allocatable": amounts},
        }


def group_of_annotations(owner: Resource) -> ScalableGroup | None:
    """Returns the group that the annotations of an object announce; None without valid amounts of CPU and memory."""
    annotations = owner.annotations
    given = {key.removeprefix(CAPACITY): text for key, text in annotations.items() if key.startswith(CAPACITY)}
    if "cpu" not in given or "memory" not in given:
        return None
    try:
        capacity = format_amounts(parse_amounts({name: given[key] for key, name in _AMOUNTS.items() if key in given}))
    except InputError:
        return None
    labels = dict(pair.split("=", 1) for pair in given.get("labels", "").split(",") if "=" in pair)
    taints = [_taint(text) for text in given.get("taints", "").split(",") if ":" in text]
    return ScalableGroup(
        name=owner.name,
        least=0,
        most=0,
        initial=0,
        capacity=capacity,
        labels=labels,
        taints=taints,
        boot=_USUAL_BOOT,
        price=_price(annotations.get(PRICE, "")),
    )


def _price(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _taint(text: str) -> dict[str, str]:
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}
