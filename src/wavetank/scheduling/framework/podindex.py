"""Which pods are where, by what other pods may say of them: kept up to date, never recounted."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from wavetank.cluster.pod import Pod
from wavetank.cluster.podaffinity import AffinityTerm, PodAffinity
from wavetank.cluster.selectors import LabelSelector
from wavetank.scheduling.framework.arrays import IntArray

MAX_COUNTERS = 512


class Query(Hashable, Protocol):
    """A question about single pods that depends on their namespace, labels and whether they are terminating."""

    def asks_for(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Tells whether such a pod counts."""
        ...


@dataclass(frozen=True, slots=True)
class Selected:
    """Pods of one namespace that a selector selects and that are not terminating."""

    namespace: str
    selector: LabelSelector

    def asks_for(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Tells whether such a pod counts."""
        return not terminating and namespace == self.namespace and self.selector.matches(labels)


@dataclass(frozen=True, slots=True)
class MatchesAll:
    """Pods that every one of some affinity terms means; the terms' namespaces have been resolved."""

    terms: tuple[AffinityTerm, ...]

    def asks_for(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Tells whether such a pod counts."""
        return all(term.matches(namespace, {}, labels) for term in self.terms)


class _Kind:
    """Pods that no query can tell apart: how many of them stand in which slot, and which counters count them."""

    def __init__(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> None:
        self.namespace = namespace
        self.labels = labels
        self.terminating = terminating
        self.slots: dict[int, int] = {}
        self.counters: list[_Counter] = []


class _Counter:
    def __init__(self, query: Query, capacity: int) -> None:
        self.query = query
        self.counts: IntArray = np.zeros(capacity, np.int64)

    def add(self, slot: int, number: int) -> None:
        if slot >= len(self.counts):
            self.counts = np.pad(self.counts, (0, 2 * slot + 1 - len(self.counts)))
        self.counts[slot] += number


class PodIndex:
    """Counts pods per slot for any query; a counter, once asked for, follows every bind and release.

    Until somebody asks, it is not `in_use` and need not be told of pods.
    """

    def __init__(self, placements: Mapping[str, tuple[Pod, int]]) -> None:
        self.in_use = False
        self._placements = placements
        self._kinds: dict[tuple[str, frozenset[tuple[str, str]], bool], _Kind] = {}
        self._counters: dict[Query, _Counter] = {}

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
        self.use()
        counter = self._counters.pop(query, None)
        if counter is None:
            counter = self._count(query, int(slots.max(initial=0)) + 1)
        self._counters[query] = counter  # used last, forgotten last
        if len(slots) and slots.max() >= len(counter.counts):
            counter.add(int(slots.max()), 0)
        counts: IntArray = counter.counts[slots]
        return counts

    def _kind(self, pod: Pod) -> _Kind:
        key = (pod.namespace, frozenset(pod.labels.items()), pod.deleted is not None)
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = _Kind(pod.namespace, pod.labels, pod.deleted is not None)
            kind.counters = [counter for counter in self._counters.values() if _counts(counter, kind)]
        return kind

    def _count(self, query: Query, capacity: int) -> _Counter:
        if len(self._counters) >= MAX_COUNTERS:
            self._forget(next(iter(self._counters)))
        counter = _Counter(query, capacity)
        for kind in self._kinds.values():
            if _counts(counter, kind):
                kind.counters.append(counter)
                for slot, number in kind.slots.items():
                    counter.add(slot, number)
        return counter

    def _forget(self, query: Query) -> None:
        counter = self._counters.pop(query)
        for kind in self._kinds.values():
            if counter in kind.counters:
                kind.counters.remove(counter)


def _counts(counter: _Counter, kind: _Kind) -> bool:
    return counter.query.asks_for(kind.namespace, kind.labels, kind.terminating)


@dataclass(frozen=True, slots=True)
class HeldTerm:
    """A term that pods already placed have, as their namespace means it."""

    term: AffinityTerm
    weight: int


class TermIndex:
    """The affinity terms of pods already placed: how many pods with each term stand in which slot."""

    def __init__(self) -> None:
        self.required: dict[HeldTerm, dict[int, int]] = {}
        self.required_anti: dict[HeldTerm, dict[int, int]] = {}
        self.preferred: dict[HeldTerm, dict[int, int]] = {}

    @property
    def is_empty(self) -> bool:
        """Tells whether no placed pod has terms."""
        return not (self.required or self.required_anti or self.preferred)

    def add(self, pod: Pod, slot: int, number: int = 1) -> None:
        """Counts the terms of a pod in a slot; `number` -1 takes them away."""
        for holders, term in self._held(pod.spec.pod_affinity, pod.namespace):
            slots = holders.setdefault(term, {})
            slots[slot] = slots.get(slot, 0) + number
            if not slots[slot]:
                del slots[slot]
            if not slots:
                del holders[term]

    def _held(self, affinity: PodAffinity, namespace: str) -> Iterator[tuple[dict[HeldTerm, dict[int, int]], HeldTerm]]:
        for term in affinity.required:
            yield self.required, HeldTerm(term.in_namespace(namespace), 1)
        for term in affinity.required_anti:
            yield self.required_anti, HeldTerm(term.in_namespace(namespace), 1)
        for weighted in affinity.preferred:
            yield self.preferred, HeldTerm(weighted.term.in_namespace(namespace), weighted.weight)
