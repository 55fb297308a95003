"""What a new node of a group will be: a present node of the group, or what its annotations announce."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.fields.resources import parse_amounts
from wavetank.cluster.fields.taints import Taint
from wavetank.cluster.objects.clusterapi import CAPACITY
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroup
from wavetank.controllers.clusterautoscaler.taints import DELETION_CANDIDATE, TO_BE_DELETED
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot
from wavetank.controllers.framework.daemonpods import daemon_pod
from wavetank.controllers.framework.pods import MIRROR, is_daemon_set_pod
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds

HOSTNAME = "kubernetes.io/hostname"
_STABLE: Nanoseconds = 60 * SECOND  # for so long a node must be ready before it is taken as a template
_AMOUNTS = {"cpu": "cpu", "memory": "memory", "ephemeral-disk": "ephemeral-storage", "maxPods": "pods"}
_PLATFORM = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}
_DEFAULT_PODS = "110"
_CONDITIONS = "node.kubernetes.io/"  # before the taints that a node's conditions bring


@dataclass(frozen=True, slots=True)
class NodeTemplate:
    """A node of a group and the pods of DaemonSets on it."""

    node: Node
    pods: tuple[Pod, ...]

    def named(self, name: str) -> NodeTemplate:
        """Returns a node like this one, with a name, a host name and pods of its own."""
        pods = []
        for pod in self.pods:
            own = pod.copy()
            own.name, own.uid, own.node_name = f"{pod.name}-{name}", f"{pod.uid}-{name}", ""
            pods.append(own)
        return NodeTemplate(_renamed(self.node, name), tuple(pods))


class TemplateCatalog:
    """The templates of all groups; the last node that served as one is kept when the group has no node any more."""

    def __init__(self, snapshot: ClusterSnapshot, specs: SpecTable) -> None:
        self._snapshot = snapshot
        self._specs = specs
        self._cached: dict[str, NodeTemplate] = {}
        self._announced: dict[str, tuple[object, object, NodeTemplate | None]] = {}
        self._fresh: dict[tuple[str, str], tuple[NodeTemplate, NodeTemplate]] = {}

    def find(
        self,
        groups: Iterable[NodeGroup],
        nodes: Mapping[str, Iterable[tuple[Node, Nanoseconds]]],
        daemon_sets: list[Resource],
        now: Nanoseconds,
    ) -> dict[str, NodeTemplate]:
        """Returns templates by group; `nodes` are the ready nodes of each group with the time since they are ready."""
        found = {}
        for group in groups:
            node = next((node for node, since in nodes.get(group.id, ()) if _is_good(node, since, now)), None)
            if node is not None:
                self._cached[group.id] = self._from_node(group, node)
            template = self._cached.get(group.id) or self._from_annotations(group, daemon_sets)
            if template is not None:
                found[group.id] = template
        return found

    def fresh(self, group: str, template: NodeTemplate, suffix: str) -> NodeTemplate:
        """Returns a new node of a group; the same one for the same suffix, as long as the template is the same."""
        known = self._fresh.get((group, suffix))
        if known is None or known[0] is not template:
            known = self._fresh[group, suffix] = (template, template.named(f"template-node-for-{group}-{suffix}"))
        return known[1]

    def _from_node(self, group: NodeGroup, node: Node) -> NodeTemplate:
        pods = tuple(pod for pod in self._snapshot.pods_on(node.name) if is_daemon_set_pod(pod))
        known = self._cached.get(group.id)
        if known is not None and known.node.uid == node.uid and known.pods == pods and _alike(known.node, node):
            return known
        taints = tuple(taint for taint in node.taints if not _is_passing(taint))
        clean = node.copy()
        clean.taints = taints
        clean.manifest = {**node.manifest, "spec": {**(node.manifest.get("spec") or {}), "taints": _render(taints)}}
        return NodeTemplate(clean, pods)

    def _from_annotations(self, group: NodeGroup, daemon_sets: list[Resource]) -> NodeTemplate | None:
        annotations = group.resource.annotations
        known = self._announced.get(group.id)
        versions = [daemon_set.manifest.get("spec") for daemon_set in daemon_sets]
        if known is None or known[0] != annotations or known[1] != versions:
            node = _announced(group)
            proxy = _kube_proxy(group.name, self._specs)
            template = None if node is None else NodeTemplate(node, (proxy, *self._daemon_pods(node, daemon_sets)))
            known = self._announced[group.id] = (annotations, versions, template)
        return known[2]

    def _daemon_pods(self, node: Node, daemon_sets: list[Resource]) -> tuple[Pod, ...]:
        """Returns the pods that DaemonSets would run on a node: those whose selectors and tolerations allow it."""
        self._snapshot.fork()
        self._snapshot.add_node(node)
        pods = []
        for daemon_set in daemon_sets:
            pod = daemon_pod(daemon_set, self._specs)
            misfit = self._snapshot.misfit(pod, node.name)
            if misfit is None or misfit.plugin == "NodeResourcesFit":
                pods.append(pod)
        self._snapshot.revert()
        return tuple(pods)


def _is_good(node: Node, since: Nanoseconds, now: Nanoseconds) -> bool:
    deleted = any(taint.key == TO_BE_DELETED for taint in node.taints)
    return since + _STABLE < now and not node.unschedulable and not deleted


def _alike(one: Node, other: Node) -> bool:
    return one.labels == other.labels and one.taints == tuple(t for t in other.taints if not _is_passing(t))


def _is_passing(taint: Taint) -> bool:
    return taint.key in (TO_BE_DELETED, DELETION_CANDIDATE) or taint.key.startswith(_CONDITIONS)


def _render(taints: Iterable[Taint]) -> list[dict[str, str]]:
    return [taint.render() for taint in taints]


def _renamed(node: Node, name: str) -> Node:
    metadata = dict(node.manifest.get("metadata") or {})
    metadata |= {"name": name, "uid": name, "labels": {**node.labels, HOSTNAME: name}}
    new = Node({**node.manifest, "metadata": metadata})
    new.ready = True
    return new


def _announced(group: NodeGroup) -> Node | None:
    """Returns the node that a group's annotations announce; None without CPU and memory, or with wrong amounts."""
    given = {key.removeprefix(CAPACITY): text for key, text in group.resource.annotations.items() if CAPACITY in key}
    if "cpu" not in given or "memory" not in given:
        return None
    amounts = {amount: given[key] for key, amount in _AMOUNTS.items() if key in given}
    amounts.setdefault("pods", _DEFAULT_PODS)
    try:
        parse_amounts(amounts)
    except InputError:
        return None
    name = f"{group.name}-template"
    labels = {**_PLATFORM, HOSTNAME: name, **_pairs(given.get("labels", ""))}
    manifest: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": labels},
        "spec": {"taints": [_taint(text) for text in given.get("taints", "").split(",") if text]},
        "status": {"capacity": amounts, "allocatable": amounts},
    }
    return Node(manifest)


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split(",") if "=" in pair)


def _taint(text: str) -> dict[str, str]:
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def _kube_proxy(group: str, specs: SpecTable) -> Pod:
    """Returns the static pod that the real program expects on every node of which it knows only annotations."""
    name = f"kube-proxy-{group}"
    container = {"name": "kube-proxy", "image": "kubeproxy", "resources": {"requests": {"cpu": "100m"}}}
    metadata = {"name": name, "namespace": "kube-system", "uid": name, "annotations": {MIRROR: ""}}
    return Pod.parse(
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}, specs
    )
