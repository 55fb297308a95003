"""Nodes that may be disrupted, and how many of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from wavetank.cluster.objects.karpenter import DO_NOT_DISRUPT
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.karpenter.budgets import allowed_disruptions
from wavetank.controllers.karpenter.nodepools import NodePool
from wavetank.controllers.karpenter.podrules import DisruptionLimits, is_active, is_protected, is_reschedulable
from wavetank.controllers.karpenter.state import ClusterState, ManagedNode
from wavetank.kernel.durations import SECOND, Nanoseconds

_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A node that may be disrupted. `cost` grows with its pods and their priorities, and falls as it expires."""

    node: ManagedNode
    pods: tuple[Pod, ...]  # that would need another node
    cost: float

    @property
    def name(self) -> str:
        """Returns the name of the node."""
        return self.node.name

    @property
    def pool(self) -> NodePool:
        """Returns the pool of the node."""
        return self.node.pool

    @property
    def price(self) -> float:
        """Returns what the node costs per hour."""
        return self.node.option.price


Accepts = Callable[[ManagedNode, bool], bool]  # of a node, and whether no pod on it would need another


@dataclass(frozen=True, slots=True)
class _PodFacts:
    """What of the pods on a node counts, as long as none of them changes."""

    version: int
    pods: tuple[Pod, ...]
    moving: tuple[Pod, ...]
    annotated: bool  # some have the annotation do-not-disrupt
    cost: float


class CandidateFinder:
    """Finds the nodes that may be disrupted now."""

    def __init__(self, store: Store, state: ClusterState) -> None:
        self._store = store
        self._clock = store.clock
        self._state = state
        self._known: dict[str, _PodFacts] = {}

    def find(self, accepts: Accepts) -> list[Candidate]:
        """Returns the candidates of a method, those of lowest cost first."""
        limits = DisruptionLimits(self._store, self._clock.now)
        found = (self._candidate(each, accepts, limits) for each in self._state.active())
        return sorted((each for each in found if each is not None), key=lambda each: each.cost)

    def budgets(self, reason: str) -> dict[str, int]:
        """Returns by pool how many more nodes may be disrupted for a reason."""
        total: dict[str, int] = {}
        disrupted: dict[str, int] = {}
        pools: dict[str, NodePool] = {}
        for each in self._state.managed.values():
            name = each.pool.name
            pools[name] = each.pool
            node = self._state.node(each.name)
            if each.initialized is None or each.released or node is None:
                continue
            total[name] = total.get(name, 0) + 1
            disrupted[name] = disrupted.get(name, 0) + (each.marked_for_deletion or not node.ready)
        now = self._clock.now
        return {
            name: max(allowed_disruptions(pool.budgets, now, total.get(name, 0), reason) - disrupted.get(name, 0), 0)
            for name, pool in pools.items()
        }

    def _candidate(self, managed: ManagedNode, accepts: Accepts, limits: DisruptionLimits) -> Candidate | None:
        now = self._clock.now
        facts = self._facts(managed.name)
        if managed.nominated_until > now or not accepts(managed, not facts.moving):
            return None
        node = self._state.node(managed.name)
        if node is None or node.annotations.get(DO_NOT_DISRUPT) == "true":
            return None
        protected = facts.annotated and any(is_active(pod) and is_protected(pod, now) for pod in facts.pods)
        if protected or not limits.allow_all(facts.pods):
            return None
        return Candidate(managed, facts.moving, facts.cost * lifetime_remaining(managed, now))

    def _facts(self, name: str) -> _PodFacts:
        known, version = self._known.get(name), self._state.versions[name]
        if known is None or known.version != version:
            pods = tuple(self._state.pods_on(name))
            annotated = any(DO_NOT_DISRUPT in pod.annotations for pod in pods)
            moving = tuple(filter(is_reschedulable, pods))
            known = self._known[name] = _PodFacts(version, pods, moving, annotated, sum(map(eviction_cost, pods)))
        return known


def eviction_cost(pod: Pod) -> float:
    """Returns what the eviction of a pod counts: 1, more or less by its deletion cost and priority, -10 to 10."""
    cost = 1.0
    with suppress(ValueError):
        cost += float(pod.annotations.get(_DELETION_COST, 0)) / 2**27
    return min(max(cost + pod.priority / 2**25, -10.0), 10.0)


def lifetime_remaining(managed: ManagedNode, now: Nanoseconds) -> float:
    """Returns which share of its life a node has before it, 0 to 1; 1 if it does not expire."""
    whole = managed.pool.expire_after
    if not whole:
        return 1.0
    return min(max((whole - (now - managed.created)) / SECOND / (whole / SECOND), 0.0), 1.0)


def same_nodes(candidates: Sequence[Candidate], present: Sequence[Candidate]) -> list[Candidate]:
    """Returns those of the present candidates that were candidates before."""
    names = {each.name for each in candidates}
    return [each for each in present if each.name in names]


def within_budgets(candidates: Sequence[Candidate], budgets: Mapping[str, int]) -> list[Candidate]:
    """Returns the candidates, in order, as far as the budgets of their pools allow."""
    left, found = dict(budgets), []
    for each in candidates:
        if left.get(each.pool.name, 0) > 0:
            left[each.pool.name] -= 1
            found.append(each)
    return found
