"""Counts of pods by node and topology domain: kept up to date, never recounted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from wavetank.cluster.fields.podaffinity import AffinityTerm
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.topology import Domains, DomainTotals

MAX_COUNTERS = 512
MAX_TOTALS = 8  # of one counter
LEAST_KINDS = 1_000  # of pods that are kept, although there may be no such pods now


LabelKey = tuple[str, str, str]  # (namespace, label, value)


class Query(Hashable, Protocol):
    """A condition on pods: on their namespace, their labels, and whether they are terminating."""

    def matches(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Returns whether such a pod matches."""
        ...

    @property
    def label_key(self) -> LabelKey | None:
        """Returns a namespace, a label and its value that every matching pod has; None if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Selected:
    """Pods of one namespace that a selector selects and that are not terminating."""

    namespace: str
    selector: LabelSelector

    def matches(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Returns whether such a pod matches."""
        return not terminating and namespace == self.namespace and self.selector.matches(labels)

    @property
    def label_key(self) -> LabelKey | None:
        """Returns one of the labels that the selector asks for with a single value."""
        exact = (
            (self.namespace, each.key, min(each.values))
            for each in self.selector.requirements or ()
            if each.operator == "In" and len(each.values) == 1
        )
        return max(exact, default=None)  # any would do, but always the same


@dataclass(frozen=True, slots=True)
class MatchesAll:
    """Pods that match all of some affinity terms, whose namespaces have been resolved."""

    terms: tuple[AffinityTerm, ...]

    def __hash__(self) -> int:
        return hash(self.terms[0]) + len(self.terms)  # there may be thousands

    def matches(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Returns whether such a pod matches."""
        return all(term.matches(namespace, {}, labels) for term in self.terms)

    @property
    def label_key(self) -> LabelKey | None:
        """Returns None: terms may match pods of several namespaces."""
        return None


class _Kind:
    """Pods that are equal for every query: their number by slot, and the counters that count them."""

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
        self._totals: BoundedCache[Domains, DomainTotals] = BoundedCache(MAX_TOTALS)

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
    """Counts pods by slot for any query; a counter is made on first use and then kept up to date.

    Until the first query it is not `in_use`, and pods need not be added.
    """

    def __init__(self, placements: Mapping[str, tuple[Pod, int]]) -> None:
        self.in_use = False
        self._placements = placements
        self._kinds: dict[tuple[str, frozenset[tuple[str, str]], bool], _Kind] = {}
        self._most_kinds = LEAST_KINDS  # before those without pods are forgotten
        self._counters: dict[Query, _Counter] = {}
        self._kinds_by_label: defaultdict[LabelKey | None, list[_Kind]] = defaultdict(list)  # by each of their labels
        self._counters_by_label: defaultdict[LabelKey | None, dict[Query, _Counter]] = defaultdict(dict)

    def use(self) -> None:
        """Starts to count pods; must not be called while a WhatIfNode is active."""
        if not self.in_use:
            self.in_use = True
            for pod, slot in self._placements.values():
                self.add(pod, slot)

    def add(self, pod: Pod, slot: int, number: int = 1) -> None:
        """Counts a pod in a slot; `number` -1 removes it."""
        kind = self._kind(pod)
        kind.slots[slot] = kind.slots.get(slot, 0) + number
        if not kind.slots[slot]:
            del kind.slots[slot]
        for counter in kind.counters:
            counter.add(slot, number)

    def counts(self, query: Query, slots: IntArray) -> IntArray:
        """Returns the number of matching pods in each of the slots."""
        counter = self._counter(query)
        if len(slots) and slots.max() >= len(counter.counts):
            counter.add(int(slots.max()), 0)
        counts: IntArray = counter.counts[slots]
        return counts

    def has_label(self, key: LabelKey) -> bool:
        """Returns whether there may be pods in a namespace that have a label with this value."""
        self.use()
        return key in self._kinds_by_label

    def totals(self, query: Query, domains: Domains) -> DomainTotals:
        """Returns the number of matching pods in each domain; the totals change with the pods."""
        return self._counter(query).totals(domains)

    def _counter(self, query: Query) -> _Counter:
        self.use()
        counter = self._counters.pop(query, None) or self._count(query)
        self._counters[query] = counter  # most recently used, dropped last
        return counter

    def _kind(self, pod: Pod) -> _Kind:
        key = (pod.namespace, frozenset(pod.labels.items()), pod.deleted is not None)
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) >= self._most_kinds:
                self._forget_kinds()
            kind = self._kinds[key] = _Kind(pod.namespace, pod.labels, pod.deleted is not None)
            self._connect(kind)
        return kind

    def _forget_kinds(self) -> None:
        """Forgets kinds without pods: in a long run there are ever new labels, such as the names of jobs."""
        self._kinds = {key: kind for key, kind in self._kinds.items() if kind.slots}
        self._most_kinds = max(LEAST_KINDS, 2 * len(self._kinds))
        self._kinds_by_label.clear()
        for kind in self._kinds.values():
            for label_key in _label_keys(kind):
                self._kinds_by_label[label_key].append(kind)

    def _connect(self, kind: _Kind) -> None:
        """Finds the counters of a new kind: among those for one of its labels, and those for any."""
        for label_key in _label_keys(kind):
            self._kinds_by_label[label_key].append(kind)
            counters = self._counters_by_label.get(label_key, {})
            kind.counters += (counter for counter in counters.values() if _counts(counter, kind))

    def _count(self, query: Query) -> _Counter:
        if len(self._counters) >= MAX_COUNTERS:
            self._forget(next(iter(self._counters)))
        counter = self._counters_by_label[query.label_key][query] = _Counter(query)
        for kind in self._kinds_by_label.get(query.label_key, ()):
            if _counts(counter, kind):
                kind.counters.append(counter)
                for slot, number in kind.slots.items():
                    counter.add(slot, number)
        return counter

    def _forget(self, query: Query) -> None:
        counter = self._counters.pop(query)
        counters = self._counters_by_label[query.label_key]
        del counters[query]
        if not counters:
            del self._counters_by_label[query.label_key]
        for kind in self._kinds_by_label.get(query.label_key, ()):
            if counter in kind.counters:
                kind.counters.remove(counter)


def _label_keys(kind: _Kind) -> tuple[LabelKey | None, ...]:
    """Returns by what a kind is found: by each of its labels, and by none."""
    return (None, *((kind.namespace, label, value) for label, value in kind.labels.items()))


def _counts(counter: _Counter, kind: _Kind) -> bool:
    return counter.query.matches(kind.namespace, kind.labels, kind.terminating)
