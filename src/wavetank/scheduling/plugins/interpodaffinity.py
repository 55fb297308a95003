from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.podaffinity import AffinityTerm
from wavetank.cluster.selectors import NOTHING
from wavetank.scheduling.config import InterPodAffinityArgs
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
from wavetank.scheduling.framework.podindex import HeldTerm, MatchesAll
from wavetank.scheduling.framework.topology import Topology


@dataclass(slots=True)
class _DomainScores:
    """Numbers by the domain of one topology."""

    topology: Topology
    scores: IntArray

    def at(self, nodes: IntArray) -> IntArray:
        """Returns the number of each node's domain, 0 without one."""
        found: IntArray = np.append(self.scores, 0)[self.topology.domains[nodes]]
        return found


@dataclass(slots=True)
class _State:
    """What this cycle's filter needs: pods by domain, for each of the pod's terms and for those of other pods."""

    affinity: list[_DomainScores]
    anti_affinity: list[_DomainScores]
    others: list[_DomainScores]
    alone: bool  # nobody matches the pod's affinity yet but the pod itself


class InterPodAffinity(PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin):
    """Keeps pods near to or far from others, as they or the others ask."""

    name = "InterPodAffinity"
    AFFINITY = Reason("node(s) didn't match pod affinity rules", resolvable=False)
    ANTI_AFFINITY = Reason("node(s) didn't match pod anti-affinity rules", resolvable=True)
    OTHERS = Reason("node(s) didn't satisfy existing pods anti-affinity rules", resolvable=True)

    def __init__(self, args: InterPodAffinityArgs, listers: Listers) -> None:
        self._hard_weight = args.hard_pod_affinity_weight
        self._ignores_others = args.ignore_preferred_terms_of_existing_pods
        self._listers = listers

    # filtering

    def has_no_say(self, cycle: Cycle) -> bool:
        """Has nothing to say where neither the pod nor any other has terms."""
        return not cycle.pod.spec.pod_affinity and cycle.table.terms.is_empty

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Counts who is where, as far as the pod or the others care."""
        asked = cycle.pod.spec.pod_affinity
        others = self._others(cycle)
        if not (others or asked.required or asked.required_anti):
            return SKIP
        required = self._resolved(cycle.pod, asked.required)
        affinity = [self._count(cycle, term, MatchesAll(required)) for term in required]
        cycle.state[self.name] = _State(
            affinity=affinity,
            anti_affinity=[
                self._count(cycle, term, MatchesAll((term,))) for term in self._resolved(cycle.pod, asked.required_anti)
            ],
            others=others,
            alone=not any(item.scores.any() for item in affinity) and _matches_all(required, cycle.pod),
        )
        return PROCEED

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Refuses nodes by the pod's affinity, its anti-affinity, then that of the others."""
        state: _State = cycle.state[self.name]
        far = ~self._near(state, nodes)
        hated = _any_in_domain(state.anti_affinity, nodes)
        unwelcome = _any_in_domain(state.others, nodes)
        return np.where(far, 1, np.where(hated, 2, np.where(unwelcome, 3, 0)))

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the one reason that a code stands for."""
        return ((self.AFFINITY, self.ANTI_AFFINITY, self.OTHERS)[code - 1],)

    def _near(self, state: _State, nodes: IntArray) -> BoolArray:
        labelled = np.ones(len(nodes), np.bool_)
        near = np.ones(len(nodes), np.bool_)
        for item in state.affinity:
            labelled &= item.topology.domains[nodes] >= 0
            near &= item.at(nodes) > 0
        return labelled & (near | state.alone)

    def _others(self, cycle: Cycle) -> list[_DomainScores]:
        """Returns, by topology, how many placed pods do not want this one in their domain."""
        found: dict[str, _DomainScores] = {}
        for held, slots in cycle.table.terms.required_anti.items():
            if self._means(held.term, cycle.pod):
                self._add(cycle, found, held.term.topology_key, slots, 1)
        return [item for item in found.values() if item.scores.any()]

    def _count(self, cycle: Cycle, term: AffinityTerm, query: MatchesAll) -> _DomainScores:
        topology = cycle.table.topologies.of(term.topology_key)
        nodes = cycle.table.order
        return _DomainScores(topology, topology.totals(cycle.table.index.counts(query, nodes), nodes))

    # scoring

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Adds up, by topology, the weights of all terms that speak for or against a domain."""
        asked = cycle.pod.spec.pod_affinity.preferred
        if self._ignores_others and not asked:
            return False
        found: dict[str, _DomainScores] = {}
        touched = False
        for weighted in asked:
            (term,) = self._resolved(cycle.pod, (weighted.term,))
            count = self._count(cycle, term, MatchesAll((term,)))
            touched |= bool(count.scores.any())
            _merge(found, term.topology_key, _DomainScores(count.topology, weighted.weight * count.scores))
        touched |= self._score_others(cycle, found)
        cycle.state[self.name + "/score"] = found
        return touched

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Adds up the node's domains."""
        found: dict[str, _DomainScores] = cycle.state[self.name + "/score"]
        total: IntArray = np.zeros(len(nodes), np.int64)
        for item in found.values():
            total = total + item.at(nodes)
        return total

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Places each score between the lowest, 0, and the highest, 100."""
        lowest, highest = scores.min(), scores.max()
        if lowest == highest:
            return np.zeros(len(scores), np.int64)
        normalized: IntArray = (100.0 * ((scores - lowest) / (highest - lowest))).astype(np.int64)
        return normalized

    def _score_others(self, cycle: Cycle, found: dict[str, _DomainScores]) -> bool:
        terms = cycle.table.terms
        touched = False
        held: list[tuple[HeldTerm, dict[int, int], int]] = []
        if self._hard_weight:
            held += [(item, slots, self._hard_weight) for item, slots in terms.required.items()]
        held += [(item, slots, item.weight) for item, slots in terms.preferred.items()]
        for item, slots, weight in held:
            if self._means(item.term, cycle.pod):
                touched |= self._add(cycle, found, item.term.topology_key, slots, weight)
        return touched

    # both

    def _add(
        self, cycle: Cycle, found: dict[str, _DomainScores], key: str, slots: Mapping[int, int], weight: int
    ) -> bool:
        """Adds pods that stand in some slots to the numbers of a topology; tells whether any had a domain."""
        topology = cycle.table.topologies.of(key)
        places = np.fromiter(slots.keys(), np.int64, len(slots))
        counts = np.fromiter(slots.values(), np.int64, len(slots))
        _merge(found, key, _DomainScores(topology, weight * topology.totals(counts, places)))
        return bool((topology.domains[places] >= 0).any())

    def _means(self, term: AffinityTerm, pod: Pod) -> bool:
        return term.matches(pod.namespace, self._listers.namespace_labels(pod.namespace), pod.labels)

    def _resolved(self, pod: Pod, terms: tuple[AffinityTerm, ...]) -> tuple[AffinityTerm, ...]:
        """Returns the pod's terms with the namespaces that their selectors select at present."""
        return tuple(self._resolve(term.in_namespace(pod.namespace)) for term in terms)

    def _resolve(self, term: AffinityTerm) -> AffinityTerm:
        if term.namespace_selector.is_empty or term.namespace_selector == NOTHING:
            return term
        assert term.namespaces is not None
        names = term.namespaces | self._listers.namespaces(term.namespace_selector)
        return AffinityTerm(term.topology_key, term.selector, names, NOTHING)

    # queueing hints

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Placed pods that the waiting pod's own terms mean, and nodes of their topologies."""
        return {
            ClusterEvent.ASSIGNED_POD_ADD: lambda waiting, old, new: _matches_all(_own(waiting, "required"), new),
            ClusterEvent.ASSIGNED_POD_LABEL: _relabelled,
            ClusterEvent.ASSIGNED_POD_DELETE: lambda waiting, old, new: (
                bool(old.node_name) and _matches_all(_own(waiting, "required_anti"), old)
            ),
            ClusterEvent.NODE_ADD: _new_domain,
            ClusterEvent.NODE_LABEL: _other_domain,
        }


def _any_in_domain(items: list[_DomainScores], nodes: IntArray) -> BoolArray:
    found = np.zeros(len(nodes), np.bool_)
    for item in items:
        found |= item.at(nodes) > 0
    return found


def _merge(found: dict[str, _DomainScores], key: str, more: _DomainScores) -> None:
    if key not in found:
        found[key] = more
        return
    present = found[key]
    longer, shorter = sorted((present.scores, more.scores), key=len, reverse=True)
    present.scores = longer + np.pad(shorter, (0, len(longer) - len(shorter)))


def _own(pod: Pod, which: str) -> tuple[AffinityTerm, ...]:
    terms: tuple[AffinityTerm, ...] = getattr(pod.spec.pod_affinity, which)
    return tuple(term.in_namespace(pod.namespace) for term in terms)


def _matches_all(terms: tuple[AffinityTerm, ...], pod: Pod) -> bool:
    return bool(terms) and all(term.matches(pod.namespace, {}, pod.labels) for term in terms)


def _relabelled(waiting: Pod, old: Pod, new: Pod) -> bool:
    near, far = _own(waiting, "required"), _own(waiting, "required_anti")
    came = not _matches_all(near, old) and _matches_all(near, new)
    return came or (_matches_all(far, old) and not _matches_all(far, new))


def _new_domain(waiting: Pod, old: None, new: Node) -> bool:
    affinity = waiting.spec.pod_affinity
    return bool(affinity.required_anti) or any(term.topology_key in new.labels for term in affinity.required)


def _other_domain(waiting: Pod, old: Node, new: Node) -> bool:
    affinity = waiting.spec.pod_affinity
    near = [term.topology_key for term in affinity.required]
    far = [term.topology_key for term in affinity.required_anti]
    came = any(key in new.labels and old.labels.get(key) != new.labels[key] for key in near)
    return came or any(key in old.labels and old.labels[key] != new.labels.get(key) for key in far)
