from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.fields.topologyspread import SpreadConstraint, parse_spread
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.releases import NEWEST, Version
from wavetank.scheduling.config import PodTopologySpreadArgs
from wavetank.scheduling.framework.boundedcache import MAX_FAMILIES, BoundedCache
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.nodes.kernels import exclude
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.nodes.podqueries import Selected
from wavetank.scheduling.framework.nodes.topology import Topology, TopologyTable
from wavetank.scheduling.framework.plugin import (
    PROCEED,
    SKIP,
    FastPathPlugin,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Reason,
    ScorePlugin,
)
from wavetank.scheduling.plugins.podtopologyspread.inclusion import IncludedDomains, IncludedNodes, InclusionPolicy
from wavetank.scheduling.plugins.podtopologyspread.kernels import add_pods, turned_round

HOSTNAME = "kubernetes.io/hostname"

_SYSTEM_DEFAULTS = parse_spread(
    [
        {"maxSkew": 3, "topologyKey": HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway"},
        {"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"},
    ],
    "",
)
_MANY = 32  # constraints, from which on it is worth to look for one that decides
_NO_LABEL = ""  # which no node can have
_NO_DOMAINS = 2**31 - 1  # the fewest pods in any domain, where there is none

FindParts = Callable[[Sequence[InclusionPolicy], NodeTable], list[IncludedDomains]]


@dataclass(frozen=True, slots=True)
class _Counted:
    """A constraint with the nodes whose pods it counts, and the query for these pods; None if there are none."""

    constraint: SpreadConstraint
    part: IncludedDomains
    query: Selected | None


@dataclass(slots=True)
class _Hard:
    """A hard constraint in this cycle: pods by domain, the fewest in any, and whether the pod counts itself."""

    max_skew: int
    topology: Topology
    counts: IntArray
    fewest: int
    counts_itself: bool

    @property
    def is_full(self) -> BoolArray:
        """Returns for each domain whether it would have too many pods."""
        return self.counts > self.max_skew + self.fewest - self.counts_itself


@dataclass(slots=True)
class _Soft:
    """The soft constraints in this cycle: for each feasible node its raw score, and whether it is ignored."""

    raw: NumberArray
    ignored: BoolArray


class PodTopologySpread(FastPathPlugin, PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin):
    """Spreads the pods that a selector selects evenly over the domains of a topology.

    Pods without constraints of their own get the profile's defaults, with the selector of their services and
    controller.
    """

    name = "PodTopologySpread"
    MISSING = Reason("node(s) didn't match pod topology spread constraints (missing required label)", resolvable=False)
    UNEVEN = Reason("node(s) didn't match pod topology spread constraints", resolvable=True)

    def __init__(self, args: PodTopologySpreadArgs, listers: Listers, version: Version = NEWEST) -> None:
        self._system = args.defaulting_type == "System"
        self._defaults = _SYSTEM_DEFAULTS if self._system else parse_spread(args.default_constraints, "")
        self._listers = listers
        self._half = 0.5 if version >= (1, 24) else 0.0  # before, raw scores were rounded down
        self._parts = IncludedNodes()
        self._counted: BoundedCache[tuple[object, str, object, bool], list[_Counted]] = BoundedCache(MAX_FAMILIES)

    def passes_now(self, cycle: Cycle) -> bool:
        """Passes pods without constraints, their own or by default."""
        pod = cycle.pod
        return not pod.spec.spread and (not self._defaults or self._listers.owners_selector(pod).is_empty)

    # filtering

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Looks up the selected pods of every domain."""
        if self.passes_now(cycle):
            return SKIP
        counted = self._constraints(cycle, hard=True)
        if not counted:
            return SKIP
        cycle.state[self.name] = [_hard(cycle, item) for item in counted]
        return PROCEED

    def freeze(self, cycle: Cycle) -> None:
        """Keeps copies of the counts, which otherwise change with the pods."""
        for hard in cycle.state.get(self.name, ()):
            hard.counts = hard.counts.copy()

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects nodes whose domain would have too many pods; the first constraint that fails gives the reason."""
        codes = np.zeros(len(nodes), np.int64)
        for hard in cycle.state[self.name]:
            domains = hard.topology.domains[nodes]
            failed = np.where(domains < 0, 1, np.where(np.append(hard.is_full, False)[domains], 2, 0))
            codes = np.where(codes == 0, failed, codes)
        return codes

    def exclude(self, cycle: Cycle, excluded: BoolArray) -> None:
        """Excludes the same nodes, by whole domains."""
        if not self.pre_filter(cycle).skip:
            for hard in cycle.state[self.name]:
                exclude(excluded, hard.topology.domains, hard.is_full, True)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Distinguishes a missing label from an uneven spread."""
        return (self.MISSING if code == 1 else self.UNEVEN,)

    # scoring

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Looks up the selected pods of the feasible nodes' domains."""
        counted = self._constraints(cycle, hard=False)
        if not counted:
            return False
        ignored = np.zeros(len(nodes), np.bool_)
        if self._is_strict(cycle.pod):
            for item in counted:
                ignored |= item.part.topology.domains[nodes] < 0
        soft = cycle.state[self.name + "/score"] = _Soft(np.zeros(len(nodes)), ignored)
        for item in counted:
            _add(cycle, item, nodes, soft)
        return True

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns the weighted counts; fewer is better, which normalizing turns round."""
        soft: _Soft = cycle.state[self.name + "/score"]
        return turned_round(soft.raw, soft.ignored, self._half)

    # both

    def _constraints(self, cycle: Cycle, hard: bool) -> list[_Counted]:
        """Returns the pod's constraints of one sort; cached if they depend only on its family and owners."""
        pod = cycle.pod
        if len(pod.spec.spread) >= _MANY:
            wanted = _decisive(self._wanted(pod, hard), cycle.table.topologies)
            return self._count(cycle, wanted, self._parts.find_many) if wanted else []
        siblings = None if pod.spec.spread or not self._defaults else self._listers.owners_selector(pod)
        key = (pod.spec.family, pod.namespace, siblings, hard)
        counted = self._counted.get(key)
        if counted is None:
            everywhere = not hard and not self._is_strict(pod)
            counted = self._count(cycle, self._wanted(pod, hard), self._parts.find_all, everywhere)
            if not any(item.match_label_keys for item in pod.spec.spread):
                self._counted.keep(key, counted, pod.spec.is_large)
        return self._caught_up(cycle, counted)

    def _caught_up(self, cycle: Cycle, counted: list[_Counted]) -> list[_Counted]:
        for item in counted:
            self._parts.catch_up(item.part, cycle.table)
        return counted

    def _count(
        self, cycle: Cycle, constraints: list[SpreadConstraint], find: FindParts, everywhere: bool = False
    ) -> list[_Counted]:
        pod = cycle.pod
        keys = frozenset[str]() if everywhere else frozenset(constraint.topology_key for constraint in constraints)
        parts = find([InclusionPolicy.of(constraint, keys, pod.spec) for constraint in constraints], cycle.table)
        return [_Counted(each, part, _query(pod, each)) for each, part in zip(constraints, parts, strict=True)]

    def _wanted(self, pod: Pod, hard: bool) -> list[SpreadConstraint]:
        own = pod.spec.spread
        wanted = [item for item in (own or self._defaults) if item.hard == hard]
        if not wanted:
            return []
        if own:
            return [_with_label_keys(constraint, pod) for constraint in wanted]
        selector = self._listers.owners_selector(pod)
        return [] if selector.is_empty else [replace(constraint, selector=selector) for constraint in wanted]

    def _is_strict(self, pod: Pod) -> bool:
        """Returns whether nodes without all labels of the soft constraints are out of the count."""
        return bool(pod.spec.spread) or not self._system

    # queueing hints

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Pods that the constraints select, and nodes of the topologies."""
        pods = dict.fromkeys(_POD_EVENTS, self._concerns_pod)
        return {**pods, **dict.fromkeys(_NODE_EVENTS, self._concerns_node)}

    def _concerns_pod(self, waiting: Pod, old: Pod | None, new: Pod | None) -> bool:
        if not all(_involved(pod, waiting) for pod in (old, new) if pod is not None):
            return False
        constraints = self._wanted(waiting, hard=True)
        if old is None or new is None:
            changed = new or old
            assert changed is not None
            return any(constraint.selector.matches(changed.labels) for constraint in constraints)
        tolerates_other = new.uid == waiting.uid and old.spec.tolerations != new.spec.tolerations
        if tolerates_other and any(constraint.honors_taints for constraint in constraints):
            return True
        return any(item.selector.matches(old.labels) != item.selector.matches(new.labels) for item in constraints)

    def _concerns_node(self, waiting: Pod, old: Node | None, new: Node | None) -> bool:
        constraints = self._wanted(waiting, hard=True)
        had, has = (
            node is not None and all(item.topology_key in node.labels for item in constraints) for node in (old, new)
        )
        if old is None or new is None:
            return had or has
        moved = any(old.labels.get(item.topology_key) != new.labels.get(item.topology_key) for item in constraints)
        return had != has or (has and (moved or old.taints != new.taints))


_POD_EVENTS = (
    ClusterEvent.ASSIGNED_POD_ADD,
    ClusterEvent.ASSIGNED_POD_DELETE,
    ClusterEvent.ASSIGNED_POD_LABEL,
    ClusterEvent.POD_LABEL,
    ClusterEvent.POD_TOLERATION,
)
_NODE_EVENTS = (
    ClusterEvent.NODE_ADD,
    ClusterEvent.NODE_DELETE,
    ClusterEvent.NODE_LABEL,
    ClusterEvent.NODE_TAINT,
)


def _decisive(constraints: list[SpreadConstraint], topologies: TopologyTable) -> list[SpreadConstraint]:
    """Returns constraints with the same effect: if no node has all of their labels, a single one that none has.

    Then no node counts, so that none of the constraints is uneven, and every node lacks a label.
    """
    if not constraints or topologies.with_all({each.topology_key for each in constraints}).any():
        return constraints
    return [replace(constraints[0], topology_key=_NO_LABEL)]


def _query(pod: Pod, constraint: SpreadConstraint) -> Selected | None:
    """Returns the query for the pods that a constraint counts."""
    # kube-scheduler takes a selector of everything as one of nothing here
    return None if constraint.selector.is_empty else Selected(pod.namespace, constraint.selector)


def _hard(cycle: Cycle, counted: _Counted) -> _Hard:
    constraint, part = counted.constraint, counted.part
    counts = _by_domain(cycle, counted)
    present = counts if len(part.present) == len(counts) else counts[part.present]
    fewest = int(present.min()) if len(present) else _NO_DOMAINS
    if len(present) < constraint.min_domains:
        fewest = 0
    return _Hard(constraint.max_skew, part.topology, counts, fewest, constraint.selector.matches(cycle.pod.labels))


def _add(cycle: Cycle, counted: _Counted, nodes: IntArray, soft: _Soft) -> None:
    """Adds the scores of a soft constraint."""
    constraint, domains = counted.constraint, counted.part.topology.domains
    by_node = constraint.topology_key == HOSTNAME
    counts = _by_node(cycle, counted, nodes) if by_node else _by_domain(cycle, counted)
    add_pods(soft.raw, nodes, soft.ignored, domains, counts, by_node, constraint.max_skew, _weights(len(nodes)))


@lru_cache
def _weights(most: int) -> NumberArray:
    """Returns what a pod weighs where there are so many domains, from none to `most`."""
    return np.array([math.log(size + 2) for size in range(most + 1)])


def _by_domain(cycle: Cycle, counted: _Counted) -> IntArray:
    if counted.query is None:
        return np.zeros(len(counted.part), np.int64)
    return cycle.table.index.totals(counted.query, counted.part).totals


def _by_node(cycle: Cycle, counted: _Counted, nodes: IntArray) -> IntArray:
    if counted.query is None:
        return np.zeros(len(nodes), np.int64)
    return cycle.table.index.counts(counted.query, nodes)


def _involved(pod: Pod, waiting: Pod) -> bool:
    return pod.uid == waiting.uid or (bool(pod.node_name) and pod.namespace == waiting.namespace)


def _with_label_keys(constraint: SpreadConstraint, pod: Pod) -> SpreadConstraint:
    values = {key: pod.labels[key] for key in constraint.match_label_keys if key in pod.labels}
    if not values:
        return constraint
    return replace(constraint, selector=LabelSelector.parse({"matchLabels": values}).joined([constraint.selector]))
