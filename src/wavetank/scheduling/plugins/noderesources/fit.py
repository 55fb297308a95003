from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wavetank.cluster.fields.resources import PODS, Amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.config import NodeResourcesFitArgs
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.nodes.nodearrays import PER_RESOURCE, POD_COUNT, REQUESTED
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.nodes.nominatedrequests import NominatedRequests
from wavetank.scheduling.framework.plugin import (
    CompiledScore,
    CompiledScorePlugin,
    FastFilterPlugin,
    Reason,
    ScorePlugin,
    SearchResult,
)
from wavetank.scheduling.plugins.noderesources.allocation import ResourceScorer, is_extended
from wavetank.scheduling.plugins.noderesources.kernels import (
    LAST_NAMED,
    LEAST_ALLOCATED,
    MOST_ALLOCATED,
    REQUESTED_TO_CAPACITY_RATIO,
    lacking,
    search_nodes,
)
from wavetank.scheduling.plugins.noderesources.scorecache import ScoreCache

_STRATEGIES = {
    "LeastAllocated": LEAST_ALLOCATED,
    "MostAllocated": MOST_ALLOCATED,
    "RequestedToCapacityRatio": REQUESTED_TO_CAPACITY_RATIO,
}
MAX_VECTORS = 4096  # specs with cached requests
MAX_SPECS = 128  # with cached scores; each costs sixteen bytes a node
TOO_MANY_PODS = Reason("Too many pods", resolvable=True)


class NodeResourcesFit(FastFilterPlugin, ScorePlugin, CompiledScorePlugin):
    """Keeps a pod off nodes that lack the resources it requests, and scores nodes by their free resources.

    A code is a set of bits: bit 0 for too many pods, and two bits for each resource that the pod requests, in the order
    of the NodeTable's rows: the first if the request exceeds what is free, the second if it exceeds all that the node
    has (so that preemption cannot help). The resources after the 31st share its bits.
    """

    name = "NodeResourcesFit"

    def __init__(self, args: NodeResourcesFitArgs) -> None:
        self._ignored = frozenset(args.ignored_resources)
        self._ignored_groups = frozenset(args.ignored_resource_groups)
        strategy = args.scoring_strategy
        shape = np.array([(point.utilization, 10 * point.score) for point in strategy.shape], np.int64).reshape(-1, 2)
        self._scorer = ResourceScorer(_STRATEGIES[strategy.type], strategy.resources, nonzero=True, shape=shape)
        self.found: IntArray = np.zeros((3, 0), np.int64)
        self._blank: IntArray = np.zeros((0, 2), np.int64)  # what is known of nodes for a spec that is new
        self._wanted: BoundedCache[PodSpec, IntArray] = BoundedCache(MAX_VECTORS)
        self._scores_by_spec: BoundedCache[PodSpec, ScoreCache] = BoundedCache(MAX_SPECS)

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Returns for each node the set of what is lacking."""
        wanted = self.wanted(cycle)  # first, as a new row makes new cells
        codes: IntArray = lacking(wanted, cycle.table.cells, nodes)
        return codes

    def filter_with_nominated(self, cycle: Cycle, nodes: IntArray, nominated: NominatedRequests) -> IntArray:
        """Returns what is lacking beside nominated pods."""
        wanted = self.wanted(cycle)
        cells = cycle.table.cells[nodes]
        cells[:, POD_COUNT] += nominated.pods[nodes]
        cells[:, REQUESTED::PER_RESOURCE] += nominated.requested[nodes]
        codes: IntArray = lacking(wanted, cells, np.arange(len(nodes)))
        return codes

    def search(self, cycle: Cycle, excluded: BoolArray, start: int) -> SearchResult:
        """Finds the nodes where the pod fits, and scores them by the plan's compiled scores."""
        plan, table = cycle.plan, cycle.table
        cached = self._scores_by_spec.get(cycle.pod.spec)
        if cached is None or cached.cells is not table.cells:
            cached = self._learn(cycle)
            known = self._blank
        else:
            known = cached.known if cached.known is not None else cached.remember()
        result: SearchResult = search_nodes(
            plan.order,
            start,
            plan.enough,
            excluded,
            cached.wanted,
            cached.compiled_scores,
            cached.resources,
            cached.shape,
            table.cells,
            table.changed,
            known,
            self.found,
        )
        return result

    def _learn(self, cycle: Cycle) -> ScoreCache:
        spec, table = cycle.pod.spec, cycle.table
        wanted = self.wanted(cycle)  # first, as a new row makes new cells
        if len(self._blank) < len(table.cells):
            self._blank = np.zeros((len(table.cells), 2), np.int64)
            self.found = np.zeros((3, len(table.cells)), np.int64)
        self._blank.fill(0)
        return self._scores_by_spec.keep(spec, ScoreCache(spec, wanted, cycle.plan, table), spec.is_large)

    def wanted(self, cycle: Cycle) -> IntArray:
        """Returns the pod's requests, one number per row of the NodeTable."""
        spec, table = cycle.pod.spec, cycle.table
        known = self._wanted.get(spec)
        if known is None or len(known) != len(table.rows):
            known = self._wanted.keep(spec, table.vector(self._checked(spec.requests)), spec.is_large)
        return known

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Names what is lacking, in kube-scheduler's order."""
        found = [TOO_MANY_PODS] if code & 1 else []
        requested = [name for name, amount in zip(cycle.table.rows, self.wanted(cycle), strict=False) if amount > 0]
        for number, name in enumerate(requested[: LAST_NAMED + 1]):
            if code >> (1 + 2 * number) & 1:
                found.append(Reason(f"Insufficient {name}", resolvable=not code >> (2 + 2 * number) & 1))
        return tuple(found)

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Scores by the profile's strategy."""
        return self._scorer.score(cycle, nodes)

    def compiled_score(self, spec: PodSpec, table: NodeTable) -> CompiledScore:
        """Returns the profile's strategy."""
        return self._scorer.compiled_score(spec, table)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """The deletion or scale-down of a pod, or a node that is new or has grown."""
        return {
            ClusterEvent.ASSIGNED_POD_DELETE: _had_a_node,
            ClusterEvent.ASSIGNED_POD_SCALE_DOWN: _shrank,
            ClusterEvent.POD_SCALE_DOWN: lambda waiting, old, new: True,
            ClusterEvent.NODE_ADD: self._fits_now,
            ClusterEvent.NODE_ALLOCATABLE: self._fits_now,
        }

    def _checked(self, requests: Amounts) -> list[tuple[str, int]]:
        if not (self._ignored or self._ignored_groups):
            return [item for item in requests.items() if item[1]]
        return [(name, amount) for name, amount in requests.items() if amount and not self._is_ignored(name)]

    def _is_ignored(self, name: str) -> bool:
        return is_extended(name) and (name in self._ignored or name.partition("/")[0] in self._ignored_groups)

    def _fits_now(self, waiting: Pod, old: Node | None, new: Node) -> bool:
        requests = waiting.spec.requests
        fits = all(amount <= new.allocatable.get(name, 0) for name, amount in requests.items())
        if not fits or not new.allocatable.get(PODS):
            return False
        wanted = [PODS, *(name for name, amount in requests.items() if amount)]
        return old is None or any(new.allocatable.get(name, 0) > old.allocatable.get(name, 0) for name in wanted)


def _had_a_node(waiting: Pod, old: Pod, new: Any) -> bool:
    return bool(old.node_name or old.nominated_node)


def _shrank(waiting: Pod, old: Pod, new: Pod) -> bool:
    before, after = old.spec.requests, new.spec.requests
    return any(before.get(name, 0) > after.get(name, 0) for name, amount in waiting.spec.requests.items() if amount)
