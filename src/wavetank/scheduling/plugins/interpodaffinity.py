from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

import numpy as np

from wavetank.cluster.fields.podaffinity import NO_AFFINITY, AffinityTerm, PodAffinity
from wavetank.cluster.fields.selectors import NOTHING
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.config import InterPodAffinityArgs
from wavetank.scheduling.framework.boundedcache import MAX_FAMILIES, BoundedCache
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.nodes.kernels import exclude
from wavetank.scheduling.framework.nodes.podqueries import MatchesAll, MatchesAny, Query
from wavetank.scheduling.framework.nodes.termindex import PREFERRED, REQUIRED, REQUIRED_ANTI, MatchingTerms
from wavetank.scheduling.framework.nodes.topology import DomainTotals
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

MANY_TERMS = 32  # of a pod, from which on they are put together by topology

Arrange = Callable[[Iterable[tuple[AffinityTerm, int]]], Iterator[tuple[str, Query, int]]]


@dataclass(slots=True)
class _Asked:
    """The terms of pods of one family and namespace, each as its topology key and the query for the pods it matches.

    Required terms are one query, for each of their topologies. Very many others are one query for each topology and
    weight.
    """

    required: tuple[AffinityTerm, ...]
    affinity: list[tuple[str, Query]]
    anti_affinity: list[tuple[str, Query]]
    preferred: list[tuple[str, Query, int]]

    def in_topologies(self, nodes_have: Set[str]) -> _Asked:
        """Returns what has an effect, given the labels of all nodes: one of the terms is kept if none has.

        A required term of a topology that no node has decides alone: no node passes.
        """
        nowhere = [item for item in self.affinity if item[0] not in nodes_have]
        return _Asked(
            self.required,
            nowhere[:1] or self.affinity,
            [item for item in self.anti_affinity if item[0] in nodes_have] or self.anti_affinity[:1],
            [item for item in self.preferred if item[0] in nodes_have] or self.preferred[:1],
        )


@dataclass(slots=True)
class _State:
    """What this cycle's filter needs: pods by domain, for each of the pod's terms and for those of other pods."""

    affinity: list[DomainTotals]
    anti_affinity: list[DomainTotals]
    others: list[DomainTotals]
    alone: bool  # no pod matches the pod's affinity but the pod itself


class InterPodAffinity(FastPathPlugin, PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin):
    """Keeps pods near to or far from others, by their own terms and those of the pods on nodes."""

    name = "InterPodAffinity"
    AFFINITY = Reason("node(s) didn't match pod affinity rules", resolvable=False)
    ANTI_AFFINITY = Reason("node(s) didn't match pod anti-affinity rules", resolvable=True)
    OTHERS = Reason("node(s) didn't satisfy existing pods anti-affinity rules", resolvable=True)

    def __init__(self, args: InterPodAffinityArgs, listers: Listers) -> None:
        self._hard_weight = args.hard_pod_affinity_weight
        self._ignores_others = args.ignore_preferred_terms_of_existing_pods
        self._listers = listers
        self._asked: BoundedCache[tuple[object, str], _Asked] = BoundedCache(MAX_FAMILIES)

    # filtering

    def passes_now(self, cycle: Cycle) -> bool:
        """Passes if neither the pod nor any pod on a node has terms."""
        return cycle.pod.spec.pod_affinity is NO_AFFINITY and cycle.table.terms.is_empty

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Counts the pods and terms by domain."""
        if self.passes_now(cycle):
            return SKIP
        asked = self._asks(cycle)
        others = self._new_matching(cycle).totals(REQUIRED_ANTI)
        if not (others or asked.affinity or asked.anti_affinity):
            return SKIP
        affinity = [_totals(cycle, key, query) for key, query in asked.affinity]
        cycle.state[self.name] = _State(
            affinity=affinity,
            anti_affinity=[_totals(cycle, key, query) for key, query in asked.anti_affinity],
            others=others,
            alone=not any(item.present for item in affinity) and _matches_all(asked.required, cycle.pod),
        )
        return PROCEED

    def freeze(self, cycle: Cycle) -> None:
        """Keeps copies of the sums, which otherwise follow the pods."""
        state: _State | None = cycle.state.get(self.name)
        if state is not None:
            near, far, others = (
                [item.copy() for item in items] for items in (state.affinity, state.anti_affinity, state.others)
            )
            cycle.state[self.name] = _State(near, far, others, state.alone)

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects nodes by the pod's affinity, its anti-affinity, then that of pods on nodes."""
        state: _State = cycle.state[self.name]
        far = ~self._near(state, nodes)
        hated = _any_in_domain(state.anti_affinity, nodes)
        unwelcome = _any_in_domain(state.others, nodes)
        return np.where(far, 1, np.where(hated, 2, np.where(unwelcome, 3, 0)))

    def exclude(self, cycle: Cycle, excluded: BoolArray) -> None:
        """Excludes the same nodes, by whole domains."""
        if self.pre_filter(cycle).skip:
            return
        state: _State = cycle.state[self.name]
        for item in state.affinity:
            exclude(excluded, item.domains.domains, (item.totals == 0) & (not state.alone), True)
        for item in (*state.anti_affinity, *state.others):
            exclude(excluded, item.domains.domains, item.totals > 0, False)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the reason of a code."""
        return ((self.AFFINITY, self.ANTI_AFFINITY, self.OTHERS)[code - 1],)

    def _near(self, state: _State, nodes: IntArray) -> BoolArray:
        labelled = np.ones(len(nodes), np.bool_)
        near = np.ones(len(nodes), np.bool_)
        for item in state.affinity:
            labelled &= item.domains.domains[nodes] >= 0
            near &= item.at(nodes) > 0
        return labelled & (near | state.alone)

    # scoring

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Finds all terms that speak for or against a domain, with their weights."""
        preferred = self._asks(cycle).preferred
        if self._ignores_others and not preferred:
            return False
        found = [(_totals(cycle, key, query), weight) for key, query, weight in preferred]
        matching = self._new_matching(cycle)
        if self._hard_weight:
            found += [(totals, self._hard_weight) for totals in matching.totals(REQUIRED)]
        found += [(totals, 1) for totals in matching.totals(PREFERRED)]
        found = cycle.state[self.name + "/score"] = [item for item in found if item[0].present]
        return bool(found)

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Adds up the node's domains."""
        total: IntArray = np.zeros(len(nodes), np.int64)
        for item, weight in cycle.state[self.name + "/score"]:
            total += item.at(nodes) * weight
        return total

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Places each score between the lowest, 0, and the highest, 100."""
        lowest, highest = scores.min(), scores.max()
        if lowest == highest:
            return np.zeros(len(scores), np.int64)
        normalized: IntArray = (100.0 * ((scores - lowest) / (highest - lowest))).astype(np.int64)
        return normalized

    # both

    def _new_matching(self, cycle: Cycle) -> MatchingTerms:
        pod, table = cycle.pod, cycle.table
        return table.terms.matching(pod, self._listers.namespace_labels(pod.namespace), table.topologies)

    def _asks(self, cycle: Cycle) -> _Asked:
        """Returns the pod's terms; cached unless the set of namespaces may change."""
        pod, affinity = cycle.pod, cycle.pod.spec.pod_affinity
        many = len(affinity) >= MANY_TERMS
        key = (pod.spec.family, pod.namespace)
        asked = self._asked.get(key)
        if asked is None:
            asked = self._compile(pod, affinity, _put_together if many else _one_by_one)
            terms = (*affinity.required, *affinity.required_anti, *(item.term for item in affinity.preferred))
            if not any(map(_selects_namespaces, terms)):
                self._asked.keep(key, asked, many or pod.spec.is_large)
        return asked.in_topologies(cycle.table.topologies.labels()) if many else asked

    def _compile(self, pod: Pod, affinity: PodAffinity, arrange: Arrange) -> _Asked:
        required = self._resolved(pod, affinity.required)
        anti = self._resolved(pod, affinity.required_anti)
        preferred = self._resolved(pod, tuple(item.term for item in affinity.preferred))
        return _Asked(
            required=required,
            affinity=[(key, MatchesAll(required)) for key in dict.fromkeys(term.topology_key for term in required)],
            anti_affinity=[(key, query) for key, query, _ in arrange((term, 1) for term in anti)],
            preferred=list(arrange(zip(preferred, (item.weight for item in affinity.preferred), strict=True))),
        )

    def _resolved(self, pod: Pod, terms: tuple[AffinityTerm, ...]) -> tuple[AffinityTerm, ...]:
        """Returns the pod's terms with the namespaces that their selectors select at present."""
        return tuple(self._resolve(term.in_namespace(pod.namespace)) for term in terms)

    def _resolve(self, term: AffinityTerm) -> AffinityTerm:
        if not _selects_namespaces(term):
            return term
        assert term.namespaces is not None
        names = term.namespaces | self._listers.namespaces(term.namespace_selector)
        return AffinityTerm(term.topology_key, term.selector, names, NOTHING)

    # queueing hints

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Placed pods that the waiting pod's own terms mean, and nodes of their topologies."""
        return {
            ClusterEvent.ASSIGNED_POD_ADD: lambda waiting, old, new: _means(waiting, "required", new),
            ClusterEvent.ASSIGNED_POD_LABEL: _relabelled,
            ClusterEvent.ASSIGNED_POD_DELETE: lambda waiting, old, new: (
                bool(old.node_name) and _means(waiting, "required_anti", old)
            ),
            ClusterEvent.NODE_ADD: _new_domain,
            ClusterEvent.NODE_LABEL: _other_domain,
        }


def _one_by_one(terms: Iterable[tuple[AffinityTerm, int]]) -> Iterator[tuple[str, Query, int]]:
    """Yields for each term and weight its topology, a query and the weight."""
    for term, weight in terms:
        yield term.topology_key, MatchesAll((term,)), weight


def _put_together(terms: Iterable[tuple[AffinityTerm, int]]) -> Iterator[tuple[str, Query, int]]:
    """Yields the same for all terms of one topology and weight together: pods count once for each term."""
    together: dict[tuple[str, int], list[AffinityTerm]] = {}
    for term, weight in terms:
        together.setdefault((term.topology_key, weight), []).append(term)
    for (key, weight), found in together.items():
        yield key, MatchesAny(tuple(found)), weight


def _totals(cycle: Cycle, key: str, query: Query) -> DomainTotals:
    return cycle.table.index.totals(query, cycle.table.topologies.of(key))


def _any_in_domain(items: list[DomainTotals], nodes: IntArray) -> BoolArray:
    found = np.zeros(len(nodes), np.bool_)
    for item in items:
        found |= item.at(nodes) > 0
    return found


def _selects_namespaces(term: AffinityTerm) -> bool:
    return not (term.namespace_selector.is_empty or term.namespace_selector == NOTHING)


def _matches_all(terms: tuple[AffinityTerm, ...], pod: Pod) -> bool:
    return bool(terms) and all(term.matches(pod.namespace, {}, pod.labels) for term in terms)


def _means(waiting: Pod, which: str, pod: Pod) -> bool:
    """Tells whether all terms of one kind of a waiting pod mean a pod."""
    terms: tuple[AffinityTerm, ...] = getattr(waiting.spec.pod_affinity, which)
    resolved = (term.in_namespace(waiting.namespace) for term in terms)  # most pods do not match the first one
    return bool(terms) and all(term.matches(pod.namespace, {}, pod.labels) for term in resolved)


def _relabelled(waiting: Pod, old: Pod, new: Pod) -> bool:
    came = not _means(waiting, "required", old) and _means(waiting, "required", new)
    return came or (_means(waiting, "required_anti", old) and not _means(waiting, "required_anti", new))


def _new_domain(waiting: Pod, old: None, new: Node) -> bool:
    affinity = waiting.spec.pod_affinity
    return bool(affinity.required_anti) or any(term.topology_key in new.labels for term in affinity.required)


def _other_domain(waiting: Pod, old: Node, new: Node) -> bool:
    affinity = waiting.spec.pod_affinity
    near = [term.topology_key for term in affinity.required]
    far = [term.topology_key for term in affinity.required_anti]
    came = any(key in new.labels and old.labels.get(key) != new.labels[key] for key in near)
    return came or any(key in old.labels and old.labels[key] != new.labels.get(key) for key in far)
