"""Finds nodes for pods: present ones, then planned ones, then new ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.rules.readiness import whole_second
from wavetank.controllers.framework.pods import unbound
from wavetank.controllers.karpenter.catalog import Mask, OptionCatalog, PoolOptions, Vector, own_daemons, requests_of
from wavetank.controllers.karpenter.plannedclaims import PlannedClaim, depends_on_others
from wavetank.controllers.karpenter.snapshot import TOPOLOGY_FILTERS, ProvisioningSnapshot
from wavetank.controllers.karpenter.state import ClusterState


@dataclass
class Packed:
    """Where pods went: new claims, present nodes by name, nowhere."""

    claims: list[PlannedClaim] = field(default_factory=list)
    placed: dict[str, list[Pod]] = field(default_factory=dict)
    failed: list[Pod] = field(default_factory=list)


class Packer:
    """Packs pods on a cluster, each time from its present state; nothing of it stays in the snapshot."""

    def __init__(self, snapshot: ProvisioningSnapshot, state: ClusterState, catalog: OptionCatalog) -> None:
        self._snapshot = snapshot
        self._state = state
        self._catalog = catalog

    def pack(self, pods: Iterable[Pod], without: Iterable[str] = ()) -> Packed:
        """Packs pods, larger ones first; nodes that are being deleted and those named are left out."""
        self._snapshot.refresh()
        self._catalog.refresh(self._snapshot)
        self._snapshot.fork()
        try:
            packing = _Packing(self._snapshot, self._state, self._catalog, frozenset(without))
            return packing.run(sorted(map(unbound, pods), key=_by_size))
        finally:
            self._snapshot.revert()


def _by_size(pod: Pod) -> tuple[int, int, int, str]:
    requests = pod.spec.requests
    return -requests.get(CPU, 0), -requests.get(MEMORY, 0), whole_second(pod.created), pod.uid


class _Packing:
    """One packing, in a fork of the snapshot."""

    def __init__(
        self,
        snapshot: ProvisioningSnapshot,
        state: ClusterState,
        catalog: OptionCatalog,
        without: frozenset[str],
    ) -> None:
        self._snapshot = snapshot
        self._catalog = catalog
        self._turn = state.launched
        self._packed = Packed()
        self._full: set[PodSpec] = set()  # that fit no present node
        self._allowed: dict[PodSpec, list[Mask]] = {}  # by pool, the options that a pod could use if they were empty
        self._remaining = {each.pool.name: _limits(each) for each in catalog.pools}
        self._existing = self._prepare(state, without)

    def _prepare(self, state: ClusterState, without: frozenset[str]) -> list[str]:
        """Removes nodes that are being deleted, adds upcoming ones; returns all names in the order of trying."""
        snapshot = self._snapshot
        for each in state.managed.values():
            if (each.marked_for_deletion or each.name in without) and snapshot.node(each.name) is not None:
                snapshot.remove_node(each.name)
        upcoming = []
        for each in state.active():
            if each.name in without:
                continue
            if each.pool.limits:
                options = self._catalog.of(each.pool)
                taken = options.capacity[options.row(each.option)]
                self._remaining[each.pool.name] = self._remaining[each.pool.name] - taken
            if each.initialized is None:
                upcoming.append(each.name)
                node = each.pool.node(each.option, each.name, ready=True)
                daemons = own_daemons(self._catalog.daemons_of(each.pool, each.option), node)
                if snapshot.node(each.name) is None:
                    snapshot.add_node(node, daemons)
                else:
                    snapshot.set_node(node)
        others = self._catalog.names.union(upcoming)
        return [*sorted(name for name in snapshot.node_names() if name not in others), *sorted(upcoming)]

    def run(self, pods: Sequence[Pod]) -> Packed:
        """Packs pods; those that fit nowhere are tried again as long as others are placed."""
        queue, last_length = deque(pods), dict[str, int]()
        while queue and last_length.get(queue[0].uid) != len(queue):
            pod = queue.popleft()
            if not self._place(pod):
                queue.append(pod)
                last_length[pod.uid] = len(queue)
        self._packed.failed = list(queue)
        return self._packed

    def _place(self, pod: Pod) -> bool:
        if self._on_existing(pod):
            return True
        requests = requests_of(pod, self._catalog.resources)
        allowed = self._allowed_options(pod)
        by_pool = {id(options.pool): mask for options, mask in zip(self._catalog.pools, allowed, strict=True)}
        for claim in sorted(self._packed.claims, key=lambda claim: len(claim.pods)):
            if claim.try_add(pod, requests, by_pool[id(claim.pool)]):
                return True
        return any(
            self._on_new(pod, requests, options, mask)
            for options, mask in zip(self._catalog.pools, allowed, strict=True)
        )

    def _on_existing(self, pod: Pod) -> bool:
        if pod.spec in self._full:
            return False
        refusals = self._snapshot.refusals(pod, self._existing)
        name = next((name for name, by in zip(self._existing, refusals, strict=True) if not by), "")
        if name:
            self._snapshot.add_pod(pod, name)
            self._packed.placed.setdefault(name, []).append(pod)
        elif not depends_on_others(pod.spec):
            self._full.add(pod.spec)
        return bool(name)

    def _allowed_options(self, pod: Pod) -> list[Mask]:
        known = self._allowed.get(pod.spec)
        if known is None:
            known = self._allowed[pod.spec] = [
                np.array([not by or by in TOPOLOGY_FILTERS for by in self._snapshot.refusals(pod, options.names)], bool)
                for options in self._catalog.pools
            ]
        return known

    def _on_new(self, pod: Pod, requests: Vector, options: PoolOptions, allowed: Mask) -> bool:
        """Plans a new node of a pool within its limits."""
        remaining = self._remaining[options.pool.name]
        mask = allowed & (options.capacity <= remaining).all(axis=1)
        if not mask.any():
            return False
        mask = mask & [not by for by in self._snapshot.refusals(pod, options.names)]
        if not mask.any():
            return False
        name = f"{options.pool.name}-new-{len(self._packed.claims)}"
        claim = PlannedClaim(self._snapshot, name, options, options.order(self._turn), mask)
        claim.add(pod, requests, mask)
        self._turn += 1
        self._packed.claims.append(claim)
        if options.pool.limits:  # it counts as the largest of its options
            self._remaining[options.pool.name] = remaining - options.capacity[claim.mask].max(axis=0)
        return True


def _limits(options: PoolOptions) -> Vector:
    return np.array(list(options.pool.limits.values()), np.int64)
