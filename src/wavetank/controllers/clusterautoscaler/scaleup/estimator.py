"""How many nodes of a group pending pods need: first fit, by decreasing size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.clusterautoscaler.scaleup.equivalence import PodGroup
from wavetank.controllers.clusterautoscaler.templates import HOSTNAME, NodeTemplate
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot, Misfit
from wavetank.controllers.framework.pods import unbound

_SPREAD_REASON = "node(s) didn't match pod topology spread constraints"


@dataclass(slots=True)
class Estimate:
    """The number of nodes, and the pods that they would hold; `capped_at` is the limit that ended the estimate."""

    nodes: int
    pods: list[Pod]
    capped_at: int | None = None


@dataclass(slots=True)
class _State:
    scheduled: list[Pod] = field(default_factory=list)
    added: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    last: str = ""
    capped: bool = False


class BinPackingEstimator:
    """Estimates nodes on the snapshot, which stays as it is. `fresh` makes the node of a number; `most` limits them."""

    def __init__(self, snapshot: ClusterSnapshot, fresh: Callable[[int], NodeTemplate], most: int) -> None:
        self._snapshot = snapshot
        self._fresh = fresh
        self._most = most

    def estimate(self, groups: Sequence[PodGroup], template: NodeTemplate) -> Estimate:
        """Returns how many nodes the pods need.

        Groups are packed by falling size. Each pod is tried on any node already added; from the first pod of a group
        that fits none of them on, only on the last one, then on a new one.
        """
        ordered = sorted(groups, key=lambda group: -_size(group.example, template.node))
        state = _State()
        self._snapshot.fork()
        try:
            for group in ordered:
                rest = self._pack_on_added(state, group.pods)
                if not state.capped:
                    self._pack_on_new(state, rest)
        finally:
            self._snapshot.revert()
        return Estimate(len(state.used), state.scheduled, self._most if state.capped else None)

    def _pack_on_added(self, state: _State, pods: list[Pod]) -> list[Pod]:
        if not state.added:
            return pods
        for index, pod in enumerate(pods):
            node = self._snapshot.find_node(unbound(pod), state.added)
            if not node:
                return pods[index:]
            self._put(state, pod, node)
        return []

    def _pack_on_new(self, state: _State, pods: list[Pod]) -> None:
        for pod in pods:
            if self._put_on_last(state, pod):
                continue
            if state.last and state.last not in state.used:
                return  # it does not even fit an empty node
            if len(state.added) >= self._most:
                state.capped = True
                return
            self._add_node(state)
            if self._snapshot.misfit(unbound(pod), state.last) is not None:
                return
            self._put(state, pod, state.last)

    def _put_on_last(self, state: _State, pod: Pod) -> bool:
        if not state.last:
            return False
        misfit = self._snapshot.misfit(unbound(pod), state.last)
        if misfit is None:
            self._put(state, pod, state.last)
            return True
        if not _violates_host_spread(pod, misfit):
            return False
        node = self._snapshot.find_node(unbound(pod), excluding=state.last)
        if node:  # also a present node, which then counts like a new one
            self._put(state, pod, node)
        return bool(node)

    def _add_node(self, state: _State) -> None:
        new = self._fresh(len(state.added))
        self._snapshot.add_node(new.node, new.pods)
        state.last = new.node.name
        state.added[state.last] = None

    def _put(self, state: _State, pod: Pod, node: str) -> None:
        self._snapshot.add_pod(unbound(pod), node)
        state.used.add(node)
        state.scheduled.append(pod)


def _size(pod: Pod, node: Node) -> float:
    return sum(
        pod.requests.get(resource, 0) / node.allocatable[resource]
        for resource in (CPU, MEMORY)
        if node.allocatable.get(resource)
    )


def _violates_host_spread(pod: Pod, misfit: Misfit) -> bool:
    constraints = pod.spec.manifest.get("topologySpreadConstraints") or ()
    return _SPREAD_REASON in misfit.reasons and any(each.get("topologyKey") == HOSTNAME for each in constraints)
