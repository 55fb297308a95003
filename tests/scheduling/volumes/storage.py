"""What the tests of this folder share: a small cluster with storage, and one cycle on it."""

from __future__ import annotations

from random import Random
from typing import Any

from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.scheduling.config import default_configuration, parse_configuration
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome, Rotation
from wavetank.scheduling.framework.cycle.selection import ExactTies
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.registry import Handle, build_frameworks

SPECS = SpecTable()
VERSION = (1, 35)
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
WAITS = "WaitForFirstConsumer"


def made(kind: str, name: str, api_version: str = "storage.k8s.io/v1", **fields: Any) -> Resource:
    metadata = {"name": name, **fields.pop("metadata", {})}
    made = parse_resource({"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}, SPECS)
    made.uid = f"uid-{name}"
    return made


def a_node(name: str, **labels: str) -> Node:
    labels = {HOST: name, **{key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}}
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    return Node({"metadata": {"name": name, "labels": labels}, "status": status})


def a_class(name: str, provisioner: str = "kubernetes.io/no-provisioner", mode: str = WAITS, **fields: Any) -> Resource:
    return made("StorageClass", name, provisioner=provisioner, volumeBindingMode=mode, **fields)


def a_volume(name: str, size: str = "10Gi", storage_class: str = "local", **spec: Any) -> Resource:
    """An available volume; `on` is the node that can reach it, `phase` and `labels` are what they say."""
    labels, phase, on = spec.pop("labels", {}), spec.pop("phase", "Available"), spec.pop("on", None)
    given = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class, **spec}
    if on is not None:
        given["nodeAffinity"] = reached_from(HOST, on)
    return made("PersistentVolume", name, "v1", metadata={"labels": labels}, spec=given, status={"phase": phase})


def reached_from(label: str, *values: str) -> dict[str, Any]:
    expression = {"key": label, "operator": "In", "values": list(values)}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def a_claim(name: str, size: str = "5Gi", storage_class: str = "local", **spec: Any) -> Resource:
    """A claim; `bound_to` a volume for good, with `annotations`, an owner's uid and a phase if they are given."""
    phase, owner, bound_to = spec.pop("phase", "Pending"), spec.pop("owner", None), spec.pop("bound_to", None)
    metadata: dict[str, Any] = {"annotations": dict(spec.pop("annotations", {}))}
    given = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
    given["storageClassName"] = storage_class
    if bound_to is not None:
        given["volumeName"], phase = bound_to, "Bound"
        metadata["annotations"]["pv.kubernetes.io/bind-completed"] = "yes"
    if owner is not None:
        metadata["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": owner, "controller": True}]
    return made("PersistentVolumeClaim", name, "v1", metadata=metadata, spec=given, status={"phase": phase})


def a_pod(name: str, *claims: str, **spec: Any) -> Pod:
    """A pod that uses claims; other volumes go into `volumes`."""
    volumes = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    volumes += spec.pop("volumes", [])
    manifest = {"containers": [{"name": "main", "image": "busybox"}], "volumes": volumes, **spec}
    pod = Pod.parse({"metadata": {"name": name}, "spec": manifest}, SPECS)
    pod.uid = f"uid-{name}"
    return pod


class Trial:
    """A scheduler's knowledge of a cluster, and what its cycle makes of a pod."""

    def __init__(self, *objects: Any, gates: frozenset[str] = frozenset(), args: dict[str, Any] | None = None) -> None:
        self.table, self.listers = NodeTable(), Listers()
        for item in objects:
            self.add(item)
        configuration = default_configuration(VERSION)
        if gates:
            configured = [{"name": "VolumeBinding", "args": args or {}}]
            document = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
            document["profiles"] = [{"schedulerName": "default-scheduler", "pluginConfig": configured}]
            configuration = parse_configuration(document, VERSION, gates)
        (self.framework,) = build_frameworks(configuration, Handle(VERSION, self.listers, Random(0)))

    def add(self, item: Any) -> None:
        if isinstance(item, Node):
            self.table.set_node(item)
        else:
            self.listers.set(item)

    def run(self, pod: Pod) -> tuple[Cycle, Outcome]:
        cycle = Cycle(self.framework, self.table, pod)
        return cycle, cycle.run(Rotation(), ExactTies())

    def feasible(self, pod: Pod) -> set[str]:
        _, outcome = self.run(pod)
        return {self.table.nodes[slot].name for slot in outcome.feasible}

    def reasons(self, pod: Pod) -> list[str]:
        """The reasons of all nodes with their numbers, sorted; or that of the PreFilter."""
        cycle, outcome = self.run(pod)
        if outcome.pre_filter is not None:
            return [outcome.pre_filter.text]
        return sorted(f"{count} {reason.text}" for reasons, count in cycle.refusals(outcome) for reason in reasons)

    def plugin(self, name: str) -> Any:
        return next(plugin for plugin in self.framework.filter if plugin.name == name)
