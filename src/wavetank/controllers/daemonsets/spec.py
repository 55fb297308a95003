from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import parse_node_affinity
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.daemontolerations import with_daemon_tolerations
from wavetank.controllers.workloads.intstr import scaled_value
from wavetank.controllers.workloads.podtemplates import pod_of
from wavetank.kernel.durations import SECOND, Nanoseconds

HASH, GENERATION = "controller-revision-hash", "pod-template-generation"
_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
_NODE_NAME = "metadata.name"
_KEEPING_OFF = ("NoSchedule", "NoExecute")


class DaemonSetSpec:
    """The spec of one version of a DaemonSet, compiled once."""

    def __init__(self, owner: Resource) -> None:
        self.owner = owner
        self.spec: Mapping[str, Any] = owner.manifest["spec"]
        self.template: Mapping[str, Any] = self.spec["template"]
        self._given = with_daemon_tolerations(self.template.get("spec") or {})
        affinity = (self._given.get("affinity") or {}).get("nodeAffinity") or {}
        self._affinity = parse_node_affinity(self._given.get("nodeSelector") or {}, affinity)
        self._tolerations = Tolerations.parse(self._given.get("tolerations"), path="spec.tolerations")
        self._host = str(self._given.get("nodeName") or "")
        self.generation = owner.annotations.get(_TEMPLATE_GENERATION)
        self.min_ready: Nanoseconds = int(self.spec.get("minReadySeconds") or 0) * SECOND
        self._strategy: Mapping[str, Any] = self.spec.get("updateStrategy") or {}

    @property
    def rolling(self) -> bool:
        """Tells whether pods of an old template are replaced."""
        return bool(self._strategy.get("type", "RollingUpdate") == "RollingUpdate")

    @property
    def history_limit(self) -> int:
        """Returns how many old revisions are kept."""
        limit = self.spec.get("revisionHistoryLimit")
        return 10 if limit is None else int(limit)

    @property
    def surges(self) -> bool:
        """Tells whether a new pod may be created on a node before the old one is deleted."""
        return self.max_surge(1) > 0

    def max_surge(self, nodes: int) -> int:
        """Returns on how many of the nodes an old and a new pod may coexist."""
        return self._limit("maxSurge", nodes)

    def max_unavailable(self, nodes: int) -> int:
        """Returns on how many of the nodes the daemon pod may be unavailable."""
        missing = self._limit("maxUnavailable", nodes)
        return 1 if nodes and not missing and not self.max_surge(nodes) else missing

    def _limit(self, field: str, nodes: int) -> int:
        rolling = self._strategy.get("rollingUpdate") or {}
        return scaled_value(rolling.get(field), nodes, round_up=True) if self.rolling else 0

    def node_should_run(self, node: Node) -> tuple[bool, bool]:
        """Tells whether a daemon pod should run on a node, and whether one that runs there may continue to."""
        if self._host not in ("", node.name) or not self._affinity.matches(node.labels, node.name):
            return False, False
        effects = {taint.effect for taint in node.taints if not self._tolerations.accept(taint)}
        return not effects.intersection(_KEEPING_OFF), "NoExecute" not in effects

    def is_updated(self, labels: Mapping[str, str], hash_: str) -> bool:
        """Tells whether a pod has the current template."""
        if self.generation is not None and labels.get(GENERATION) == self.generation:
            return True
        return labels.get(HASH) == hash_

    def pod_template(self, hash_: str) -> Document:
        """Returns the document of a pod, without the affinity to its node."""
        document = pod_of(self.owner, {**self.template, "spec": self._given})
        labels = {GENERATION: self.generation, HASH: hash_}
        named = {key: value for key, value in labels.items() if value is not None}
        document["metadata"]["labels"] = {**(document["metadata"].get("labels") or {}), **named}
        return document


def pinned(pod_template: Document, node_name: str) -> Document:
    """Returns the document of a pod with an affinity to that node."""
    spec = pod_template["spec"]
    affinity = spec.get("affinity") or {}
    field = {"key": _NODE_NAME, "operator": "In", "values": [node_name]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    to_node = {**(affinity.get("nodeAffinity") or {}), "requiredDuringSchedulingIgnoredDuringExecution": required}
    return {**pod_template, "spec": {**spec, "affinity": {**affinity, "nodeAffinity": to_node}}}


def target_node(manifest: Mapping[str, Any], node_name: str) -> str:
    """Returns the node that a daemon pod runs on or has an affinity to; empty if there is none."""
    if node_name:
        return node_name
    to_node = ((manifest.get("spec") or {}).get("affinity") or {}).get("nodeAffinity") or {}
    terms = (to_node.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or ()
    for field in (field for term in terms for field in term.get("matchFields") or ()):
        if field.get("key") == _NODE_NAME and field.get("operator") == "In":
            values: list[str] = field.get("values") or []
            return values[0] if len(values) == 1 else ""
    return ""
