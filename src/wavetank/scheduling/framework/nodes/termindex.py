"""The affinity terms of pods by node and topology domain: kept up to date, never recounted."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from wavetank.cluster.fields.podaffinity import AffinityTerm
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.boundedcache import MAX_FAMILIES, BoundedCache
from wavetank.scheduling.framework.nodes.topology import Domains, DomainTotals, TopologyTable

MAX_KINDS = 256
_LARGE_FAMILY = 500  # terms of a pod, beyond which they are kept resolved only for a few families
REQUIRED, REQUIRED_ANTI, PREFERRED = range(3)  # the roles of a term


class PlacedTerm(NamedTuple):
    """An affinity term of pods on nodes, resolved for their namespace."""

    role: int
    term: AffinityTerm
    weight: int


class _TermPods:
    """Pods with one term: their number by slot, and the sums in which they count."""

    __slots__ = ("held", "slots", "sums")

    def __init__(self, held: PlacedTerm) -> None:
        self.held = held
        self.slots: dict[int, int] = {}
        self.sums: list[_Sum] = []

    def add(self, slot: int, number: int) -> None:
        self.slots[slot] = self.slots.get(slot, 0) + number
        if not self.slots[slot]:
            del self.slots[slot]
        for totals in self.sums:
            totals.add(slot, number, self.held.weight)


class _Sum(DomainTotals):
    """The weights of several terms with one topology, by domain."""

    __slots__ = ("members",)

    def __init__(self, domains: Domains) -> None:
        super().__init__(domains)
        self.members: list[_TermPods] = []
        self.reset()

    def join(self, term_pods: _TermPods) -> None:
        self.members.append(term_pods)
        term_pods.sums.append(self)
        for slot, number in term_pods.slots.items():
            self.add(slot, number, term_pods.held.weight)

    def refresh(self) -> None:
        members, self.members = self.members, []
        self.reset()
        for term_pods in members:
            term_pods.sums.remove(self)
            if term_pods.slots:
                self.join(term_pods)


class MatchingTerms:
    """The terms of pods on nodes that match pods of one kind, added up by role and topology."""

    def __init__(self, namespace_labels: Mapping[str, str]) -> None:
        self.namespace_labels = namespace_labels
        self.seen = 0  # the number of entries of the log that have been looked at
        self._sums: dict[tuple[int, str], _Sum] = {}

    def totals(self, role: int) -> list[DomainTotals]:
        """Returns for each topology with any the weights of the terms of a role by domain."""
        found: list[DomainTotals] = []
        for (has, _), totals in self._sums.items():
            if has == role:
                if totals.is_outdated:
                    totals.refresh()
                if totals.present:
                    found.append(totals)
        return found

    def join(self, term_pods: _TermPods, topologies: TopologyTable) -> None:
        """Adds a term that matches pods of this kind."""
        key = term_pods.held.term.topology_key
        totals = self._sums.get((term_pods.held.role, key))
        if totals is None:
            totals = self._sums[term_pods.held.role, key] = _Sum(topologies.of(key))
        totals.join(term_pods)

    def leave(self) -> None:
        """Stops counting."""
        for totals in self._sums.values():
            for term_pods in totals.members:
                term_pods.sums.remove(totals)


class TermIndex:
    """The affinity terms of pods on nodes, by the kinds of pods that they match: kept up to date after first use.

    Pods are of one kind if they agree in their namespace and in every label that any of the terms selects by.
    """

    def __init__(self) -> None:
        self._term_pods: dict[PlacedTerm, _TermPods] = {}
        self._log: list[_TermPods] = []  # in the order in which they were added, including removed ones
        self._labels: set[str] = set()  # that terms select by
        self._matching: dict[tuple[str | None, ...], MatchingTerms] = {}
        self._terms_of: BoundedCache[tuple[object, str], list[PlacedTerm]] = BoundedCache(MAX_FAMILIES)

    @property
    def is_empty(self) -> bool:
        """Returns whether no placed pod has terms."""
        return not self._term_pods

    def slots(self, roles: Container[int] | None) -> set[int]:
        """Returns the slots of pods with terms of some roles, or of any."""
        found = (term_pods.slots for held, term_pods in self._term_pods.items() if roles is None or held.role in roles)
        return set().union(*found)

    def add(self, pod: Pod, slot: int, number: int = 1) -> None:
        """Counts the terms of a pod in a slot; `number` -1 removes them."""
        for held in self._terms(pod):
            if not self._counts(held, slot):
                continue
            term_pods = self._term_pods.get(held)
            if term_pods is None:
                term_pods = self._begin(held)
            term_pods.add(slot, number)
            if not term_pods.slots:
                del self._term_pods[held]

    def matching(self, pod: Pod, namespace_labels: Mapping[str, str], topologies: TopologyTable) -> MatchingTerms:
        """Returns the terms that match pods of this kind, in a namespace with these labels."""
        kind = (pod.namespace, *map(pod.labels.get, self._labels))
        matching = self._matching.pop(kind, None)
        if matching is None or matching.namespace_labels != namespace_labels:
            matching = self._new_matching(matching, namespace_labels)
        self._matching[kind] = matching  # most recently used, dropped last
        while matching.seen < len(self._log):
            term_pods = self._log[matching.seen]
            matching.seen += 1
            if term_pods.slots and term_pods.held.term.matches(pod.namespace, namespace_labels, pod.labels):
                matching.join(term_pods, topologies)
        return matching

    def _new_matching(self, old: MatchingTerms | None, namespace_labels: Mapping[str, str]) -> MatchingTerms:
        if old is None and len(self._matching) >= MAX_KINDS:
            old = self._matching.pop(next(iter(self._matching)))
        if old is not None:
            old.leave()
        return MatchingTerms(namespace_labels)

    def _counts(self, held: PlacedTerm, slot: int) -> bool:
        """Returns whether a term counts in a slot."""
        return True

    def _begin(self, held: PlacedTerm) -> _TermPods:
        term_pods = self._term_pods[held] = _TermPods(held)
        if len(self._log) > 2 * len(self._term_pods) + 64:  # most of it is outdated
            self._forget_kinds()
            self._log = list(self._term_pods.values())
            self._labels = set().union(*map(_selected_labels, self._log))
            return term_pods
        self._log.append(term_pods)
        labels = _selected_labels(term_pods)
        if not labels <= self._labels:
            self._forget_kinds()
            self._labels |= labels
        return term_pods

    def _forget_kinds(self) -> None:
        """Drops all kinds: the labels that tell them apart change."""
        for matching in self._matching.values():
            matching.leave()
        self._matching.clear()

    def _terms(self, pod: Pod) -> list[PlacedTerm]:
        key = (pod.spec.family, pod.namespace)
        is_large = pod.spec.is_large or len(pod.spec.pod_affinity) > _LARGE_FAMILY
        return self._terms_of.get(key) or self._terms_of.keep(key, _placed_terms(pod), is_large)


def _selected_labels(term_pods: _TermPods) -> set[str]:
    return {requirement.key for requirement in term_pods.held.term.selector.requirements or ()}


def _placed_terms(pod: Pod) -> list[PlacedTerm]:
    affinity, namespace = pod.spec.pod_affinity, pod.namespace
    return [
        *(PlacedTerm(REQUIRED, term.in_namespace(namespace), 1) for term in affinity.required),
        *(PlacedTerm(REQUIRED_ANTI, term.in_namespace(namespace), 1) for term in affinity.required_anti),
        *(PlacedTerm(PREFERRED, item.term.in_namespace(namespace), item.weight) for item in affinity.preferred),
    ]
