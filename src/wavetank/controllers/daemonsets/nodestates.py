from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.daemonsets.nodestate import NodeEvaluator, NodeState
from wavetank.controllers.daemonsets.spec import HASH, DaemonSetSpec, target_node
from wavetank.kernel.durations import Nanoseconds


class NodeStates:
    """The state of all nodes for one DaemonSet; only nodes where something has changed are evaluated again.

    `changed` is called whenever there is something to evaluate.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._states: defaultdict[str, NodeState] = defaultdict(NodeState)  # by node
        self._targets: dict[str, str] = {}  # by uid of a pod: the node that it runs on or is meant for
        self._pending: dict[str, None] = {}  # an ordered set of nodes
        self._maturing: dict[str, Nanoseconds] = {}
        self.hash = ""  # of the current template
        self.relabelled = False  # some pod, since the pods were last claimed
        self.counts: Counter[str] = Counter()
        self.marked: defaultdict[str, dict[str, NodeState]] = defaultdict(dict)  # by mark and node

    def evaluate(self, evaluator: NodeEvaluator, now: Nanoseconds) -> None:
        """Evaluates the nodes where something has changed, or where a pod has become available."""
        self._pending |= {name: None for name, due in self._maturing.items() if due <= now}
        while self._pending:
            names, self._pending = self._pending, {}
            for name in names:
                self._evaluate(name, evaluator)

    def _evaluate(self, name: str, evaluator: NodeEvaluator) -> None:
        state = self._states[name]
        before = state.marks
        evaluator.evaluate(state)
        for mark in before - state.marks:
            self.counts[mark] -= 1
            del self.marked[mark][name]
        for mark in state.marks - before:
            self.counts[mark] += 1
            self.marked[mark][name] = state
        if state.available_at is not None:
            self._maturing[name] = state.available_at
        else:
            self._maturing.pop(name, None)
        if not state.pods and not state.exists and not state.marks:
            del self._states[name]

    @property
    def available_at(self) -> Nanoseconds | None:
        """Returns when the next ready pod becomes available; None if there is none."""
        return min(self._maturing.values(), default=None)

    def update_spec(self, spec: DaemonSetSpec, nodes: Mapping[str, Node]) -> None:
        """Applies a new spec to all nodes."""
        for name in {**nodes, **self._states}:
            self.set_node(name, nodes.get(name), spec)

    def set_node(self, name: str, node: Node | None, spec: DaemonSetSpec) -> None:
        """Adds a node or its new version; None if it was deleted."""
        state = self._states[name]
        state.exists = node is not None
        state.run, state.stay = spec.node_should_run(node) if node is not None else (False, False)
        self._pending[name] = None
        if _matters(state, spec):
            self._changed()

    def _touch(self, name: str) -> None:
        self._pending[name] = None
        self._changed()

    # events of the DaemonSet's pods

    def added(self, new: Pod) -> None:
        """Adds a pod."""
        target = target_node(new.manifest, new.node_name)
        self._targets[new.uid] = target
        if target:
            self._states[target].pods[new.uid] = new
            self._touch(target)

    def modified(self, old: Pod, new: Pod) -> None:
        """Replaces a pod by its new version."""
        self.relabelled |= new.labels is not old.labels and new.labels != old.labels
        if not old.node_name and new.node_name and self._targets.get(new.uid) != new.node_name:
            self.deleted(old)
            self.added(new)
            return
        target = self._targets.get(new.uid, "")
        if target:
            self._states[target].pods[new.uid] = new
            self._touch(target)

    def deleted(self, old: Pod) -> None:
        """Removes a pod."""
        target = self._targets.pop(old.uid, "")
        if target:
            self._states[target].pods.pop(old.uid, None)
            self._touch(target)

    @property
    def hashes(self) -> set[str]:
        """Returns the template hashes of all pods."""
        return {pod.labels.get(HASH, "") for state in self._states.values() for pod in state.pods.values()}


def _matters(state: NodeState, spec: DaemonSetSpec) -> bool:
    """Tells whether the controller reacts to a change of a node: not if only counts in the status would change."""
    if not state.pods:
        return state.run
    status = spec.owner.manifest.get("status") or {}
    return not state.stay or bool(status.get("numberMisscheduled"))
