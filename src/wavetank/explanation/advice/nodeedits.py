"""Changes of nodes, and of what is on them, that might let a pod in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from wavetank.cluster.fields.resources import CPU, MEMORY, format_amounts
from wavetank.cluster.fields.taints import Taint
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.explanation.advice.podedits import taint_text
from wavetank.explanation.advice.trials import Spec, TrialNodes
from wavetank.words import plural
from wavetank.workloads.manifests.nodes import STATE_TAINTS

UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


class NodeEdit:
    """A change of the cluster alone."""

    kind: ClassVar[str]

    def edit_pod(self, spec: Spec) -> None:
        """Changes nothing."""


@dataclass(frozen=True)
class Untaint(NodeEdit):
    """Removes taints from a node."""

    node: str
    taints: tuple[Taint, ...]
    kind: ClassVar[str] = "taint"

    @property
    def text(self) -> str:
        """Names the taints and the node; taints by a state go with the state."""
        named = " and ".join(map(taint_text, self.taints))
        if all(taint.key.startswith(STATE_TAINTS) for taint in self.taints):
            return f"mend the state of node {self.node} ({named})"
        return f"remove the {plural(len(self.taints), 'taint')} {named} from node {self.node}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the taints and the node."""
        return {"changed": self.node, "taints": [taint.render() for taint in self.taints]}

    def edit_nodes(self, nodes: TrialNodes) -> None:
        """Removes the taints."""
        node = nodes.node(self.node).copy()
        node.taints = tuple(taint for taint in node.taints if taint not in self.taints)
        nodes.replace(node)


@dataclass(frozen=True)
class Uncordon(NodeEdit):
    """Lets a node take pods again."""

    node: str
    kind: ClassVar[str] = "uncordon"

    @property
    def text(self) -> str:
        """Names the node."""
        return f"uncordon node {self.node}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the node."""
        return {"changed": self.node}

    def edit_nodes(self, nodes: TrialNodes) -> None:
        """Makes the node schedulable, and removes the taint that says otherwise."""
        node = nodes.node(self.node).copy()
        node.unschedulable = False
        node.taints = tuple(taint for taint in node.taints if taint.key != UNSCHEDULABLE)
        nodes.replace(node)


@dataclass(frozen=True)
class LabelNode(NodeEdit):
    """Gives a node labels."""

    node: str
    labels: Mapping[str, str]
    kind: ClassVar[str] = "label"

    @property
    def text(self) -> str:
        """Names the labels and the node."""
        return f"label node {self.node} {' '.join(f'{key}={value}' for key, value in self.labels.items())}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the labels and the node."""
        return {"changed": self.node, "labels": dict(self.labels)}

    def edit_nodes(self, nodes: TrialNodes) -> None:
        """Sets the labels."""
        node = nodes.node(self.node).copy()
        node.labels = {**node.labels, **self.labels}
        nodes.replace(node)


@dataclass(frozen=True)
class AddNode(NodeEdit):
    """Adds a node like another one, with the pods that it always has; `zones` are where it helps, if not in all."""

    template: str
    node: Node
    pods: Sequence[Pod] = ()
    zones: tuple[str, ...] = ()
    kind: ClassVar[str] = "node"

    @property
    def text(self) -> str:
        """Names the template with its size."""
        has = format_amounts({name: self.node.allocatable.get(name, 0) for name in (CPU, MEMORY)})
        where = f" in zone {' or '.join(self.zones)}" if self.zones else ""
        return f"add a node like {self.template} ({has[CPU]} CPU, {has[MEMORY]} memory){where}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the template, and the zones in which it helps, if not all do."""
        return {"template": self.template, "zones": list(self.zones)}

    def edit_nodes(self, nodes: TrialNodes) -> None:
        """Adds the node."""
        nodes.add(self.node, self.pods)


@dataclass(frozen=True)
class Evict(NodeEdit):
    """Evicts pods."""

    pods: tuple[Pod, ...]
    kind: ClassVar[str] = "eviction"

    @property
    def text(self) -> str:
        """Names the pods with their priorities."""
        named = ", ".join(f"{pod.namespace}/{pod.name} (priority {pod.priority})" for pod in self.pods)
        return f"evict {named}"

    @property
    def data(self) -> dict[str, Any]:
        """Returns the pods."""
        return {"pods": [f"{pod.namespace}/{pod.name}" for pod in self.pods]}

    def edit_nodes(self, nodes: TrialNodes) -> None:
        """Removes the pods."""
        for pod in self.pods:
            nodes.evict(pod)
