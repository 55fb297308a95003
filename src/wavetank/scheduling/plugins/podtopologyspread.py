from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.selectors import LabelSelector
from wavetank.cluster.spread import SpreadConstraint, parse_spread
from wavetank.scheduling.config import PodTopologySpreadArgs
from wavetank.scheduling.framework.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.plugin import (
    PROCEED,
    SKIP,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Reason,
    ScorePlugin,
)
from wavetank.scheduling.framework.podindex import Selected
from wavetank.scheduling.framework.static import FacetCache
from wavetank.scheduling.framework.topology import Topology

HOSTNAME = "kubernetes.io/hostname"

_SYSTEM_DEFAULTS = parse_spread(
    [
        {"maxSkew": 3, "topologyKey": HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway"},
        {"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"},
    ],
    "",
)
_NO_DOMAINS = 2**31 - 1  # the fewest pods in any domain, where there is none


@dataclass(slots=True)
class _Hard:
    """A hard constraint in this cycle: pods per domain, the fewest in any, and whether the pod counts itself."""

    constraint: SpreadConstraint
    topology: Topology
    counts: IntArray
    fewest: int
    counts_itself: bool


@dataclass(slots=True)
class _Soft:
    """The soft constraints in this cycle: for each feasible node its raw score, and whether it is ignored."""

    scores: IntArray
    ignored: BoolArray


class PodTopologySpread(PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin):
    """Spreads the pods that a selector selects evenly over the domains of a topology.

    Pods without constraints of their own get the profile's defaults, with the selector of their services and
    controller.
    """

    name = "PodTopologySpread"
    MISSING = Reason("node(s) didn't match pod topology spread constraints (missing required label)", resolvable=False)
    UNEVEN = Reason("node(s) didn't match pod topology spread constraints", resolvable=True)

    def __init__(self, args: PodTopologySpreadArgs, listers: Listers) -> None:
        self._system = args.defaulting_type == "System"
        self._defaults = _SYSTEM_DEFAULTS if self._system else parse_spread(args.default_constraints, "")
        self._listers = listers
        self._affinity = FacetCache(lambda affinity, node: affinity.matches(node.labels, node.name))
        self._taints = FacetCache(lambda tolerations, node: _tolerates(tolerations, node))

    def has_no_say(self, cycle: Cycle) -> bool:
        """Has nothing to say of a pod without constraints, its own or by default."""
        pod = cycle.pod
        return not pod.spec.spread and (not self._defaults or self._listers.owners_selector(pod).is_empty)

    # filtering

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Counts the selected pods of every domain."""
        constraints = self._constraints(cycle.pod, hard=True)
        if not constraints:
            return SKIP
        eligible = self._with_all_keys(cycle, constraints, cycle.table.order)
        cycle.state[self.name] = [self._hard(cycle, constraint, eligible) for constraint in constraints]
        return PROCEED

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Refuses nodes whose domain would have too many; the first constraint that fails gives the reason."""
        codes = np.zeros(len(nodes), np.int64)
        for hard in cycle.state[self.name]:
            domains = hard.topology.domains[nodes]
            here = np.append(hard.counts, 0)[domains]
            skew = here + hard.counts_itself - hard.fewest
            failed = np.where(domains < 0, 1, np.where(skew > hard.constraint.max_skew, 2, 0))
            codes = np.where(codes == 0, failed, codes)
        return codes

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Tells a missing label from an uneven spread."""
        return (self.MISSING if code == 1 else self.UNEVEN,)

    def _hard(self, cycle: Cycle, constraint: SpreadConstraint, eligible: IntArray) -> _Hard:
        topology = cycle.table.topologies.of(constraint.topology_key)
        nodes = eligible[self._included(cycle, constraint, eligible)]
        counts = topology.totals(self._selected(cycle, constraint, nodes), nodes)
        present = np.unique(topology.domains[nodes])
        fewest = int(counts[present].min()) if len(present) else _NO_DOMAINS
        if len(present) < constraint.min_domains:
            fewest = 0
        return _Hard(constraint, topology, counts, fewest, constraint.selector.matches(cycle.pod.labels))

    # scoring

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Counts the selected pods of the feasible nodes' domains."""
        constraints = self._constraints(cycle.pod, hard=False)
        if not constraints:
            return False
        strict = bool(cycle.pod.spec.spread) or not self._system
        everywhere = cycle.table.order
        if strict:
            everywhere = self._with_all_keys(cycle, constraints, everywhere)
            ignored = ~np.isin(nodes, everywhere)
        else:
            ignored = np.zeros(len(nodes), np.bool_)
        raw = np.zeros(len(nodes))
        for constraint in constraints:
            raw += self._soft(cycle, constraint, nodes, ignored, everywhere)
        scores = np.floor(raw + 0.5).astype(np.int64)
        cycle.state[self.name + "/score"] = _Soft(np.where(ignored, 0, scores), ignored)
        return True

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns the weighted counts; fewer is better, which normalizing turns round."""
        soft: _Soft = cycle.state[self.name + "/score"]
        scores, ignored = soft.scores, soft.ignored
        counted = scores[~ignored]
        highest = int(counted.max(initial=0))
        if not highest:
            return np.where(ignored, 0, 100)
        lowest = int(counted.min())
        return np.where(ignored, 0, 100 * (highest + lowest - scores) // highest)

    def _soft(
        self, cycle: Cycle, constraint: SpreadConstraint, nodes: IntArray, ignored: BoolArray, everywhere: IntArray
    ) -> NumberArray:
        topology = cycle.table.topologies.of(constraint.topology_key)
        domains = topology.domains[nodes]
        if constraint.topology_key == HOSTNAME:
            counts, size = self._selected(cycle, constraint, nodes), int((~ignored).sum())
        else:
            counted = everywhere[self._included(cycle, constraint, everywhere)]
            totals = topology.totals(self._selected(cycle, constraint, counted), counted)
            counts = np.append(totals, 0)[domains]
            size = len(np.unique(domains[~ignored]))  # nodes without the label count as one more domain
        scores = counts * math.log(size + 2) + (constraint.max_skew - 1)
        return np.where(domains < 0, 0.0, scores)

    # both

    def _constraints(self, pod: Pod, hard: bool) -> list[SpreadConstraint]:
        own = pod.spec.spread
        wanted = [item for item in (own or self._defaults) if item.hard == hard]
        if not wanted:
            return []
        if own:
            return [_with_label_keys(constraint, pod) for constraint in wanted]
        selector = self._listers.owners_selector(pod)
        return [] if selector.is_empty else [replace(constraint, selector=selector) for constraint in wanted]

    def _with_all_keys(self, cycle: Cycle, constraints: list[SpreadConstraint], nodes: IntArray) -> IntArray:
        for constraint in constraints:
            nodes = nodes[cycle.table.topologies.of(constraint.topology_key).domains[nodes] >= 0]
        return nodes

    def _included(self, cycle: Cycle, constraint: SpreadConstraint, nodes: IntArray) -> BoolArray:
        included = np.ones(len(nodes), np.bool_)
        spec = cycle.pod.spec
        if constraint.honors_affinity and not spec.node_affinity.allows_all:
            included &= self._affinity.answers(spec.node_affinity, cycle.table)[nodes] > 0
        if constraint.honors_taints:
            included &= self._taints.answers(spec.tolerations, cycle.table)[nodes] > 0
        return included

    def _selected(self, cycle: Cycle, constraint: SpreadConstraint, nodes: IntArray) -> IntArray:
        if constraint.selector.is_empty:  # kube-scheduler takes a selector of everything as one of nothing here
            return np.zeros(len(nodes), np.int64)
        return cycle.table.index.counts(Selected(cycle.pod.namespace, constraint.selector), nodes)

    # queueing hints

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Pods that the constraints select, and nodes of the topologies."""
        pods = dict.fromkeys(_POD_EVENTS, self._concerns_pod)
        return {**pods, **dict.fromkeys(_NODE_EVENTS, self._concerns_node)}

    def _concerns_pod(self, waiting: Pod, old: Pod | None, new: Pod | None) -> bool:
        if not all(_involved(pod, waiting) for pod in (old, new) if pod is not None):
            return False
        constraints = self._constraints(waiting, hard=True)
        if old is None or new is None:
            changed = new or old
            assert changed is not None
            return any(constraint.selector.matches(changed.labels) for constraint in constraints)
        tolerates_other = new.uid == waiting.uid and old.spec.tolerations != new.spec.tolerations
        if tolerates_other and any(constraint.honors_taints for constraint in constraints):
            return True
        return any(item.selector.matches(old.labels) != item.selector.matches(new.labels) for item in constraints)

    def _concerns_node(self, waiting: Pod, old: Node | None, new: Node | None) -> bool:
        constraints = self._constraints(waiting, hard=True)
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


def _involved(pod: Pod, waiting: Pod) -> bool:
    return pod.uid == waiting.uid or (bool(pod.node_name) and pod.namespace == waiting.namespace)


def _with_label_keys(constraint: SpreadConstraint, pod: Pod) -> SpreadConstraint:
    values = {key: pod.labels[key] for key in constraint.match_label_keys if key in pod.labels}
    if not values:
        return constraint
    return replace(constraint, selector=LabelSelector.parse({"matchLabels": values}).joined([constraint.selector]))


def _tolerates(tolerations: object, node: Node) -> bool:
    hard = (taint for taint in node.taints if taint.effect in ("NoSchedule", "NoExecute"))
    return all(tolerations.accept(taint) for taint in hard)  # type: ignore[attr-defined]
