"""Which pods are where, by what other pods may say of them: kept up to date, never recounted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from wavetank.cluster.fields.podaffinity import AffinityTerm
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.cycle.memory import MAX_FAMILIES, Memory
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.topology import Domains, DomainTotals, TopologyTable

MAX_COUNTERS = 512
MAX_TOTALS = 8  # of one counter
MAX_REGARDS = 256
REQUIRED, REQUIRED_ANTI, PREFERRED = range(3)  # the roles of a term


Address = tuple[str, str, str]  # (namespace, label, value)


class Query(Hashable, Protocol):
    """A question about single pods that depends on their namespace, labels and whether they are terminating."""

    def asks_for(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Tells whether such a pod counts."""
        ...

    @property
    def address(self) -> Address | None:
        """Returns a namespace, a label and its value that every pod that counts has; None if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Selected:
    """Pods of one namespace that a selector selects and that are not terminating."""

    namespace: str
    selector: LabelSelector

    def asks_for(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Tells whether such a pod counts."""
        return not terminating and namespace == self.namespace and self.selector.matches(labels)

    @property
    def address(self) -> Address | None:
        """Returns one of the labels that the selector asks for with a single value."""
        exact = (
            (self.namespace, each.key, min(each.values))
            for each in self.selector.requirements or ()
            if each.operator == "In" and len(each.values) == 1
        )
        return max(exact, default=None)  # any will do, but always the same


@dataclass(frozen=True, slots=True)
class MatchesAll:
    """Pods that every one of some affinity terms means; the terms' namespaces have been resolved."""

    terms: tuple[AffinityTerm, ...]

    def asks_for(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Tells whether such a pod counts."""
        return all(term.matches(namespace, {}, labels) for term in self.terms)

    @property
    def address(self) -> Address | None:
        """Returns None: terms may mean pods of several namespaces."""
        return None


class _Kind:
    """Pods that no query can tell apart: how many of them stand in which slot, and which counters count them."""

    def __init__(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> None:
        self.namespace = namespace
        self.labels = labels
        self.terminating = terminating
        self.slots: dict[int, int] = {}
        self.counters: list[_Counter] = []


class _Counter:
    def __init__(self, query: Query) -> None:
        self.query = query
        self.counts: IntArray = np.zeros(16, np.int64)
        self._totals: Memory[Domains, DomainTotals] = Memory(MAX_TOTALS)

    def add(self, slot: int, number: int) -> None:
        if slot >= len(self.counts):
            self.counts = np.pad(self.counts, (0, 2 * slot + 1 - len(self.counts)))
        self.counts[slot] += number
        for totals in self._totals.values():
            totals.add(slot, number)

    def totals(self, domains: Domains) -> DomainTotals:
        totals = self._totals.get(domains)
        if totals is None:
            totals = self._totals.keep(domains, DomainTotals(domains))
        if totals.is_outdated:
            totals.count(self.counts)
        return totals


class PodIndex:
    """Counts pods per slot for any query; a counter, once asked for, follows every bind and release.

    Until somebody asks, it is not `in_use` and need not be told of pods.
    """

    def __init__(self, placements: Mapping[str, tuple[Pod, int]]) -> None:
        self.in_use = False
        self._placements = placements
        self._kinds: dict[tuple[str, frozenset[tuple[str, str]], bool], _Kind] = {}
        self._counters: dict[Query, _Counter] = {}
        self._residents: defaultdict[Address | None, list[_Kind]] = defaultdict(list)  # by each of their labels
        self._callers: defaultdict[Address | None, dict[Query, _Counter]] = defaultdict(dict)  # by their address

    def use(self) -> None:
        """Begins to follow the pods, of which nobody has asked so far; not while something is only supposed."""
        if not self.in_use:
            self.in_use = True
            for pod, slot in self._placements.values():
                self.add(pod, slot)

    def add(self, pod: Pod, slot: int, number: int = 1) -> None:
        """Counts a pod in a slot; `number` -1 takes it away."""
        kind = self._kind(pod)
        kind.slots[slot] = kind.slots.get(slot, 0) + number
        if not kind.slots[slot]:
            del kind.slots[slot]
        for counter in kind.counters:
            counter.add(slot, number)

    def counts(self, query: Query, slots: IntArray) -> IntArray:
        """Returns how many pods the query asks for stand in each of the slots."""
        counter = self._counter(query)
        if len(slots) and slots.max() >= len(counter.counts):
            counter.add(int(slots.max()), 0)
        counts: IntArray = counter.counts[slots]
        return counts

    def totals(self, query: Query, domains: Domains) -> DomainTotals:
        """Returns how many pods the query asks for stand in each domain: as things are, not as they will be."""
        return self._counter(query).totals(domains)

    def _counter(self, query: Query) -> _Counter:
        self.use()
        counter = self._counters.pop(query, None) or self._count(query)
        self._counters[query] = counter  # used last, forgotten last
        return counter

    def _kind(self, pod: Pod) -> _Kind:
        key = (pod.namespace, frozenset(pod.labels.items()), pod.deleted is not None)
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = _Kind(pod.namespace, pod.labels, pod.deleted is not None)
            self._settle(kind)
        return kind

    def _settle(self, kind: _Kind) -> None:
        """Finds the counters that count a new kind: only those that ask for one of its labels, or for any."""
        addresses = (None, *((kind.namespace, label, value) for label, value in kind.labels.items()))
        for address in addresses:
            self._residents[address].append(kind)
            callers = self._callers.get(address, {})
            kind.counters += (counter for counter in callers.values() if _counts(counter, kind))

    def _count(self, query: Query) -> _Counter:
        if len(self._counters) >= MAX_COUNTERS:
            self._forget(next(iter(self._counters)))
        counter = self._callers[query.address][query] = _Counter(query)
        for kind in self._residents.get(query.address, ()):
            if _counts(counter, kind):
                kind.counters.append(counter)
                for slot, number in kind.slots.items():
                    counter.add(slot, number)
        return counter

    def _forget(self, query: Query) -> None:
        counter = self._counters.pop(query)
        del self._callers[query.address][query]
        for kind in self._residents.get(query.address, ()):
            if counter in kind.counters:
                kind.counters.remove(counter)


def _counts(counter: _Counter, kind: _Kind) -> bool:
    return counter.query.asks_for(kind.namespace, kind.labels, kind.terminating)


class HeldTerm(NamedTuple):
    """A term that pods already placed have, as their namespace means it."""

    role: int
    term: AffinityTerm
    weight: int


class _Holders:
    """Pods with one term: how many of them stand in which slot, and the sums in which they count."""

    __slots__ = ("held", "slots", "sums")

    def __init__(self, held: HeldTerm) -> None:
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
        self.members: list[_Holders] = []
        self.reset()

    def join(self, holders: _Holders) -> None:
        self.members.append(holders)
        holders.sums.append(self)
        for slot, number in holders.slots.items():
            self.add(slot, number, holders.held.weight)

    def refresh(self) -> None:
        members, self.members = self.members, []
        self.reset()
        for holders in members:
            holders.sums.remove(self)
            if holders.slots:
                self.join(holders)


class Regard:
    """What placed pods say of pods of one kind: their terms that mean such pods, added up by role and topology."""

    def __init__(self, namespace_labels: Mapping[str, str]) -> None:
        self.namespace_labels = namespace_labels
        self.seen = 0  # how many of the terms ever held have been looked at
        self._sums: dict[tuple[int, str], _Sum] = {}

    def totals(self, role: int) -> list[DomainTotals]:
        """Returns for each topology the weights of the terms of a role by domain, where there are any."""
        found: list[DomainTotals] = []
        for (has, _), totals in self._sums.items():
            if has == role:
                if totals.is_outdated:
                    totals.refresh()
                if totals.present:
                    found.append(totals)
        return found

    def join(self, holders: _Holders, topologies: TopologyTable) -> None:
        """Takes in a term that means pods of this kind."""
        key = holders.held.term.topology_key
        totals = self._sums.get((holders.held.role, key))
        if totals is None:
            totals = self._sums[holders.held.role, key] = _Sum(topologies.of(key))
        totals.join(holders)

    def leave(self) -> None:
        """Stops following the terms."""
        for totals in self._sums.values():
            for holders in totals.members:
                holders.sums.remove(totals)


class TermIndex:
    """The affinity terms of pods already placed, by the kinds of pods that they mean: kept up to date, once asked for.

    Pods are of one kind if they agree in their namespace and in every label that any of the terms asks for.
    """

    def __init__(self) -> None:
        self._holders: dict[HeldTerm, _Holders] = {}
        self._log: list[_Holders] = []  # in the order of their coming, also of those that are gone
        self._labels: set[str] = set()  # that terms ask for
        self._regards: dict[tuple[str | None, ...], Regard] = {}
        self._held: Memory[tuple[object, str], list[HeldTerm]] = Memory(MAX_FAMILIES)  # by family and namespace

    @property
    def is_empty(self) -> bool:
        """Tells whether no placed pod has terms."""
        return not self._holders

    def slots(self, roles: Container[int] | None) -> set[int]:
        """Returns where pods with terms of some roles stand, or of any."""
        found = (holders.slots for held, holders in self._holders.items() if roles is None or held.role in roles)
        return set().union(*found)

    def add(self, pod: Pod, slot: int, number: int = 1) -> None:
        """Counts the terms of a pod in a slot; `number` -1 takes them away."""
        for held in self._terms(pod):
            if not self._counts(held, slot):
                continue
            holders = self._holders.get(held)
            if holders is None:
                holders = self._begin(held)
            holders.add(slot, number)
            if not holders.slots:
                del self._holders[held]

    def about(self, pod: Pod, namespace_labels: Mapping[str, str], topologies: TopologyTable) -> Regard:
        """Returns what the placed pods say of pods like this one, in a namespace with these labels."""
        kind = (pod.namespace, *map(pod.labels.get, self._labels))
        regard = self._regards.pop(kind, None)
        if regard is None or regard.namespace_labels != namespace_labels:
            regard = self._regard(regard, namespace_labels)
        self._regards[kind] = regard  # used last, forgotten last
        while regard.seen < len(self._log):
            holders = self._log[regard.seen]
            regard.seen += 1
            if holders.slots and holders.held.term.matches(pod.namespace, namespace_labels, pod.labels):
                regard.join(holders, topologies)
        return regard

    def _regard(self, old: Regard | None, namespace_labels: Mapping[str, str]) -> Regard:
        if old is None and len(self._regards) >= MAX_REGARDS:
            old = self._regards.pop(next(iter(self._regards)))
        if old is not None:
            old.leave()
        return Regard(namespace_labels)

    def _counts(self, held: HeldTerm, slot: int) -> bool:
        """Tells whether a term counts at all in a slot."""
        return True

    def _begin(self, held: HeldTerm) -> _Holders:
        holders = self._holders[held] = _Holders(held)
        if not _asked(holders) <= self._labels or len(self._log) > 2 * len(self._holders) + 64:
            self._forget_regards()
        else:
            self._log.append(holders)
        return holders

    def _forget_regards(self) -> None:
        """Lets every kind be found anew: what tells them apart has changed, or the log is mostly of the past."""
        for regard in self._regards.values():
            regard.leave()
        self._regards.clear()
        self._log = list(self._holders.values())
        self._labels = set().union(*map(_asked, self._log))

    def _terms(self, pod: Pod) -> list[HeldTerm]:
        key = (pod.spec.family, pod.namespace)
        return self._held.get(key) or self._held.keep(key, _held(pod))


def _asked(holders: _Holders) -> set[str]:
    return {requirement.key for requirement in holders.held.term.selector.requirements or ()}


def _held(pod: Pod) -> list[HeldTerm]:
    affinity, namespace = pod.spec.pod_affinity, pod.namespace
    return [
        *(HeldTerm(REQUIRED, term.in_namespace(namespace), 1) for term in affinity.required),
        *(HeldTerm(REQUIRED_ANTI, term.in_namespace(namespace), 1) for term in affinity.required_anti),
        *(HeldTerm(PREFERRED, item.term.in_namespace(namespace), item.weight) for item in affinity.preferred),
    ]
