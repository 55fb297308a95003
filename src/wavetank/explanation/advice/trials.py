from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy, deepcopy
from functools import partial
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec, SpecTable
from wavetank.errors import InputError
from wavetank.explanation.advice.budgets import Budgets
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome, Rotation
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.selection import ExactTies

Spec = dict[str, Any]  # of a pod, as JSON


class TrialNodes:
    """The scheduler's nodes and their pods, changed for a trial: at the end of the `with` block all is as before."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> Self:
        return self

    def node(self, name: str) -> Node:
        """Returns a node as it is now."""
        node = self._table.nodes[self._table.slots[name]]
        assert node is not None
        return node

    def replace(self, node: Node) -> None:
        """Puts a new version of a node in the place of the old one."""
        self._undo.append(partial(self._table.set_node, self.node(node.name)))
        self._table.set_node(node)

    def add(self, node: Node, pods: Iterable[Pod]) -> None:
        """Adds a node with pods on it."""
        self._table.set_node(node)
        self._undo.append(partial(self._table.remove_node, node))
        for pod in pods:
            self._table.add_pod(pod, node.name)
            self._undo.append(partial(self._table.remove_pod, pod.uid))

    def evict(self, pod: Pod) -> None:
        """Removes a pod from its node."""
        counted, slot = self._table.placements[pod.uid]
        node = self._table.nodes[slot]
        assert node is not None
        self._table.remove_pod(pod.uid)
        self._undo.append(partial(self._table.add_pod, counted, node.name))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for undo in reversed(self._undo):
            undo()


class Edit(Protocol):
    """A change that might let a pod in; `kind` is a word for programs, `text` is for people."""

    kind: ClassVar[str]

    @property
    def text(self) -> str:
        """Returns what to do, in words."""

    @property
    def data(self) -> dict[str, Any]:
        """Returns what to do, for JSON."""

    def edit_pod(self, spec: Spec) -> None:
        """Changes the pod's spec."""

    def edit_nodes(self, nodes: TrialNodes) -> None:
        """Changes nodes, or the pods on them."""


class Trials:
    """Tries a pod on changed clusters with the real scheduling cycle, only without preemption.

    `framework_of` returns the profile for a pod, `table` is the scheduler's cache of nodes, `budgets` are those of
    the cluster's pods. `made` counts the trials.
    """

    def __init__(
        self,
        framework_of: Callable[[Pod], Framework | None],
        table: NodeTable,
        pod: Pod,
        budgets: Budgets | None = None,
    ) -> None:
        self.table = table
        self.budgets = budgets or Budgets()
        self.pod = pod
        self.made = 0
        self._framework_of = framework_of
        self._specs = SpecTable()

    def node_with(self, edits: Sequence[Edit]) -> str:
        """Returns the node that the pod would get after these edits, "" if none."""
        manifest = {**self.pod.render(), "spec": deepcopy(self.pod.render()["spec"])}
        with TrialNodes(self.table) as nodes:
            for edit in edits:
                edit.edit_pod(manifest["spec"])
                edit.edit_nodes(nodes)
            try:
                pod = Pod.parse(manifest, self._specs)
            except InputError:  # an edit left something that the API server would refuse
                return ""
            return self._node_of(pod)

    def node_asking(self, resource: str, amount: int) -> str:
        """Returns the node that the pod would get if it requested another amount of a resource, "" if none."""
        return self._node_of(self._with_spec(self.pod.spec.asking({**self.pod.requests, resource: amount})))

    def cycle(self) -> Cycle | None:
        """Returns a new cycle for the pod as it is; None if no profile is responsible for it."""
        framework = self._framework_of(self.pod)
        return None if framework is None else Cycle(_without_preemption(framework), self.table, self.pod)

    def _with_spec(self, spec: PodSpec) -> Pod:
        pod = self.pod.copy()
        pod.spec = spec
        return pod

    def _node_of(self, pod: Pod) -> str:
        self.made += 1
        framework = self._framework_of(pod)
        if framework is None or not all(plugin.pre_enqueue(pod) for plugin in framework.pre_enqueue):
            return ""
        outcome: Outcome = Cycle(_without_preemption(framework), self.table, pod).run(Rotation(), ExactTies())
        return outcome.node_name


def _without_preemption(framework: Framework) -> Framework:
    """Returns a profile that neither preempts nor remembers what it has ranked."""
    trial = copy(framework)
    trial.post_filter, trial.batch = (), None
    return trial
