"""The changes of a what-if question: each is made to a simulated cluster, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import ClassVar, Protocol

from wavetank.cluster.objects.groupkinds import DEPLOYMENT, REPLICA_SET, STATEFUL_SET
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.deployments.replicasets import HASH
from wavetank.errors import InputError
from wavetank.planning.nodes import Template, read_template, select_nodes
from wavetank.planning.readiness import workload_of
from wavetank.planning.simulatedcluster import Blocked, SimulatedCluster
from wavetank.workloads.manifests.nodes import like
from wavetank.workloads.open import OpenedWorkload

SCALED = {
    "deploy": DEPLOYMENT,
    "deployment": DEPLOYMENT,
    "deployments": DEPLOYMENT,
    "sts": STATEFUL_SET,
    "statefulset": STATEFUL_SET,
    "statefulsets": STATEFUL_SET,
    "rs": REPLICA_SET,
    "replicaset": REPLICA_SET,
    "replicasets": REPLICA_SET,
}


class Change(Protocol):
    """One change; `text` is what the user called it."""

    @property
    def text(self) -> str:
        """Returns the change in words."""

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Makes the change, which may take time; returns what could not be evicted, InputError if it is impossible."""


@dataclass(frozen=True)
class _NodeChange:
    """A change to the nodes that a text stands for, by name or label."""

    verb: ClassVar[str]
    nodes: str

    @property
    def text(self) -> str:
        """Returns the change in words."""
        return f"{self.verb} {self.nodes}"


class Drain(_NodeChange):
    """Cordons nodes and evicts their pods."""

    verb = "drain"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Drains the nodes, as far as budgets allow it."""
        return cluster.drain(_names(cluster, self.nodes))


class Remove(_NodeChange):
    """Deletes nodes without draining them."""

    verb = "remove"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Deletes the nodes."""
        cluster.remove(_names(cluster, self.nodes))
        return []


class Cordon(_NodeChange):
    """Lets nodes take no more pods."""

    verb = "cordon"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Cordons the nodes."""
        cluster.cordon(_names(cluster, self.nodes))
        return []


class Uncordon(_NodeChange):
    """Lets nodes take pods again."""

    verb = "uncordon"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Uncordons the nodes."""
        cluster.uncordon(_names(cluster, self.nodes))
        return []


class Fail(_NodeChange):
    """Lets nodes fail: nothing runs on them any more, and their pods are evicted after five minutes."""

    verb = "fail"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Stops the machines."""
        cluster.fail(_names(cluster, self.nodes))
        return []


@dataclass(frozen=True)
class Add:
    """Adds nodes like a template."""

    template: str

    @property
    def text(self) -> str:
        """Returns the change in words."""
        return f"add {self.template}"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Adds the nodes, called new-1, new-2 and so on."""
        template = read_template(self.template, cluster.nodes)
        names = islice(_free_names(cluster.nodes, "new-"), template.count)
        cluster.add(list(template.copies(names)))
        return []


@dataclass(frozen=True)
class Scale:
    """Changes the replicas of a Deployment, StatefulSet or ReplicaSet; `namespace` "" is any."""

    kind: str
    namespace: str
    name: str
    replicas: int

    @property
    def text(self) -> str:
        """Returns the change in words."""
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"scale {self.kind.partition('.')[0].lower()} {place} to {self.replicas}"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Sets the replicas."""
        owner = self._owner(cluster)
        spec = {**(owner.manifest.get("spec") or {}), "replicas": self.replicas}
        new = parse_resource({**owner.manifest, "spec": spec}, cluster.store.specs)
        new.uid, new.created, new.resource_version = owner.uid, owner.created, owner.resource_version
        cluster.store.update(new)
        return []

    def _owner(self, cluster: SimulatedCluster) -> Resource:
        found: list[Resource] = [each for each in cluster.store.list(self.kind) if self._is_meant(each, each.name)]
        if not found and self.kind == DEPLOYMENT:  # of a dump without Deployments, by the ReplicaSets of their pods
            sets = cluster.store.list(REPLICA_SET)
            found = [each for each in sets if self._is_meant(each, _deployment_of(each))]
        what = f"{self.kind.partition('.')[0]} {self.name!r}"
        if not found:
            raise InputError(f"the snapshot has no {what}" + (f" in {self.namespace}" if self.namespace else ""))
        if len(found) > 1:
            places = ", ".join(sorted(each.namespace for each in found))
            raise InputError(f"there is more than one {what}: say in which namespace, of {places}")
        return found[0]

    def _is_meant(self, owner: Resource, name: str) -> bool:
        return name == self.name and self.namespace in ("", owner.namespace)


@dataclass(frozen=True)
class AddWorkload:
    """Submits the pods and workload resources of a file."""

    path: Path
    workload: OpenedWorkload

    @property
    def text(self) -> str:
        """Returns the change in words."""
        return f"add workload {self.path.name}"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Submits the workload from now on."""
        cluster.submit(self.workload)
        return []


@dataclass(frozen=True)
class Upgrade:
    """Replaces all nodes, some at a time: new ones come before the old are drained (surge) or after (unavailable)."""

    surge: int = 0
    unavailable: int = 0

    @property
    def text(self) -> str:
        """Returns the change in words."""
        return f"upgrade all nodes, {f'surge {self.surge}' if self.surge else f'unavailable {self.unavailable}'}"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Replaces the nodes in the order of their names; one that cannot be drained stays."""
        blocked: list[Blocked] = []
        size = self.surge or self.unavailable
        nodes = sorted(cluster.nodes, key=lambda node: node.name)
        for begin in range(0, len(nodes), size):
            blocked += self._replace(cluster, nodes[begin : begin + size])
        return blocked

    def _replace(self, cluster: SimulatedCluster, nodes: Sequence[Node]) -> list[Blocked]:
        new = [manifest for node in nodes for manifest in Template(node.name, like(node)).copies([f"{node.name}-new"])]
        if self.surge:
            cluster.add(new)
        blocked = cluster.drain([node.name for node in nodes])
        stay = {each.node for each in blocked}
        cluster.remove([node.name for node in nodes if node.name not in stay])
        if not self.surge:
            cluster.add([made for node, made in zip(nodes, new, strict=True) if node.name not in stay])
        cluster.uncordon(sorted(stay))
        return blocked


@dataclass(frozen=True)
class Reschedule:
    """Takes all pods off their nodes and schedules them again, with the scheduler of the question."""

    @property
    def text(self) -> str:
        """Returns the change in words."""
        return "schedule all pods again"

    def apply(self, cluster: SimulatedCluster) -> list[Blocked]:
        """Unbinds the pods."""
        cluster.reschedule()
        return []


def _names(cluster: SimulatedCluster, text: str) -> list[str]:
    return [node.name for node in select_nodes(cluster.nodes, text)]


def _free_names(nodes: Sequence[Node], prefix: str) -> Iterator[str]:
    taken = {node.name for node in nodes}
    return (name for i in count(1) if (name := f"{prefix}{i}") not in taken)


def _deployment_of(replica_set: Resource) -> str:
    template = (replica_set.manifest.get("spec") or {}).get("template") or {}
    labels = (template.get("metadata") or {}).get("labels") or {}
    kind, _, name = workload_of("ReplicaSet", replica_set.namespace, replica_set.name, labels.get(HASH, ""))
    return name if kind == "Deployment" else ""
