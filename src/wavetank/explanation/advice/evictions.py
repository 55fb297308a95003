"""The fewest pods of a node, of the lowest priority, whose eviction would let a pod in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from wavetank.cluster.objects.pod import Pod
from wavetank.explanation.advice.budgets import Budgets
from wavetank.explanation.advice.refusednodes import RefusedNode
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.cycle.whatifnode import WhatIfNode
from wavetank.snapshots.owners import controller_reference

_MOST_NODES = 200  # the nearest ones
_MOST_HELPED = 20  # nodes on which an eviction helps, among which the best is chosen
_MOST_SINGLE = 100  # pods of other nodes
_MOST_PAIRS = 40  # pods of a node of which all pairs are tried

Victims = tuple[Pod, ...]


def victims(cycle: Cycle, nodes: Sequence[RefusedNode], budgets: Budgets) -> list[Victims]:
    """Returns the pods to evict from one node, for some nodes: the fewest first, then those of the lowest priority.

    Pods of a higher priority stay, as they would push the pod out again; so do those of its controller, which would be
    pending in its place, and pods of DaemonSets and static pods, which come back, and those that disruption budgets do
    not let go. What is found helps as far as the filters of one node can tell.
    """
    found: list[Victims] = []
    for node in [node for node in nodes if not node.lasting][:_MOST_NODES]:
        chosen = _of_node(cycle, node.name, budgets)
        if chosen and budgets.allow(chosen):
            found.append(chosen)
        if len(found) == _MOST_HELPED:
            break
    return sorted(found, key=_harm)


def single_victims(cycle: Cycle, budgets: Budgets) -> list[Victims]:
    """Returns single pods of any node whose rules about other pods may keep the pod off, or which its own rules name.

    They are for rules over larger topologies, such as a zone, in which the pod to evict is on another node.
    """
    spec = cycle.pod.spec
    mutual = bool(spec.pod_affinity or spec.spread)
    found = [
        pod
        for pod, _ in cycle.table.placements.values()
        if (pod.spec.pod_affinity or (mutual and pod.namespace == cycle.pod.namespace)) and _may_go(cycle, pod, budgets)
    ]
    return [(pod,) for pod in sorted(found, key=_importance)[:_MOST_SINGLE]]


def follows_node(pod: Pod) -> bool:
    """Tells whether a pod belongs to its node: one of a DaemonSet, or a static pod."""
    owner = controller_reference(pod.manifest)
    return owner is not None and owner.get("kind") in ("DaemonSet", "Node")


def _of_node(cycle: Cycle, name: str, budgets: Budgets) -> Victims:
    slot = cycle.table.slots[name]
    movable = sorted((pod for pod in cycle.table.pods[slot].all() if _may_go(cycle, pod, budgets)), key=_importance)
    if not movable or not _helps(cycle, slot, movable):
        return ()
    few = next((chosen for chosen in _few(movable) if budgets.allow(chosen) and _helps(cycle, slot, chosen)), ())
    if few:
        return few
    kept_small = sorted(movable, key=lambda pod: (-_size(cycle, slot, pod), pod.name))
    return min((_spared(cycle, slot, order) for order in (movable, kept_small)), key=_harm)


def _may_go(cycle: Cycle, pod: Pod, budgets: Budgets) -> bool:
    if not budgets.allow((pod,)):
        return False
    if pod.priority > cycle.pod.priority or pod.deleted is not None or follows_node(pod):
        return False
    owner = controller_reference(pod.manifest)
    return owner is None or owner != controller_reference(cycle.pod.manifest)


def _few(pods: Sequence[Pod]) -> Iterator[Victims]:
    """Yields single pods and pairs, the least important first."""
    yield from ((pod,) for pod in pods)
    if len(pods) <= _MOST_PAIRS:
        yield from sorted(combinations(pods, 2), key=_harm)


def _spared(cycle: Cycle, slot: int, pods: Sequence[Pod]) -> Victims:
    """Returns what is left of pods of which all help if the last of them are spared as far as possible."""
    chosen = list(pods)
    for pod in reversed(pods):
        rest = [each for each in chosen if each is not pod]
        if _helps(cycle, slot, rest):
            chosen = rest
    return tuple(chosen)


def _helps(cycle: Cycle, slot: int, pods: Sequence[Pod]) -> bool:
    with WhatIfNode(cycle.table, slot) as node:
        for pod in pods:
            node.remove(pod)
        return cycle.refusal(slot) is None


def _importance(pod: Pod) -> tuple[int, str, str]:
    return pod.priority, pod.namespace, pod.name


def _harm(pods: Victims) -> tuple[int, int, int]:
    return len(pods), max(pod.priority for pod in pods), sum(pod.priority for pod in pods)


def _size(cycle: Cycle, slot: int, pod: Pod) -> float:
    """Returns the largest share of the node that a pod requests, of what the other pod requests too."""
    node = cycle.table.nodes[slot]
    has = {} if node is None else node.allocatable
    return max((pod.requests.get(name, 0) / has[name] for name in cycle.pod.requests if has.get(name)), default=0.0)
