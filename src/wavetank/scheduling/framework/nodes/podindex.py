"""Counts of pods by node and topology domain: kept up to date, never recounted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from wavetank.cluster.fields.labels import VERY_MANY
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.podqueries import LabelKey, Query
from wavetank.scheduling.framework.nodes.topology import Domains, DomainTotals

MAX_COUNTERS = 512
MAX_TOTALS = 8  # of one counter
LEAST_KINDS = 1_000  # of pods that are kept, although there may be no such pods now


class _Kind:
    """Pods that are equal for every query: their number by slot, and the counters that count them."""

    def __init__(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> None:
        self.namespace = namespace
        self.labels = labels
        self.terminating = terminating
        self.slots: dict[int, int] = {}
        self.counters: list[_Counter] = []
        self.repeated: list[tuple[_Counter, int]] = []  # those that count them so often

    def join(self, counter: _Counter) -> int:
        """Lets a counter count these pods, if its query matches them; returns how often."""
        times = int(counter.query.matches(self.namespace, self.labels, self.terminating))
        if times == 1:
            self.counters.append(counter)
        elif times:
            self.repeated.append((counter, times))
        return times

    def leave(self, counter: _Counter) -> None:
        """Ends this."""
        if counter in self.counters:
            self.counters.remove(counter)
        if self.repeated:
            self.repeated = [item for item in self.repeated if item[0] is not counter]


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
        self._wide_kinds: dict[tuple[str, bool], _Kind] = {}  # of pods with very many labels, by `_wide_key`
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
        is_wide = len(pod.labels) > VERY_MANY  # it is not looked for by each of them
        kind = self._wide_kind(pod) if is_wide else self._kind(pod)
        kind.slots[slot] = kind.slots.get(slot, 0) + number
        if not kind.slots[slot]:
            del kind.slots[slot]
        for counter in kind.counters:
            counter.add(slot, number)
        if kind.repeated:
            for counter, times in kind.repeated:
                counter.add(slot, number * times)
        if is_wide and not kind.slots:
            del self._wide_kinds[_wide_key(pod)]

    def counts(self, query: Query, slots: IntArray) -> IntArray:
        """Returns the number of matching pods in each of the slots."""
        counter = self._counter(query)
        if len(slots) and slots.max() >= len(counter.counts):
            counter.add(int(slots.max()), 0)
        counts: IntArray = counter.counts[slots]
        return counts

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

    def _wide_kind(self, pod: Pod) -> _Kind:
        """Returns the kind of a pod with very many labels, which it has for itself: comparing them would take long."""
        key = _wide_key(pod)
        kind = self._wide_kinds.get(key)
        if kind is None:
            kind = self._wide_kinds[key] = _Kind(pod.namespace, pod.labels, pod.deleted is not None)
            for counters in self._counters_by_label.values():
                for counter in counters.values():
                    kind.join(counter)
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
            for counter in self._counters_by_label.get(label_key, {}).values():
                kind.join(counter)

    def _count(self, query: Query) -> _Counter:
        if len(self._counters) >= MAX_COUNTERS:
            self._forget(next(iter(self._counters)))
        counter = self._counters_by_label[query.label_key][query] = _Counter(query)
        for kind in self._kinds_having(query.label_key):
            if times := kind.join(counter):
                for slot, number in kind.slots.items():
                    counter.add(slot, number * times)
        return counter

    def _kinds_having(self, key: LabelKey | None) -> Iterator[_Kind]:
        """Yields the kinds that a query with such a key may match."""
        yield from self._kinds_by_label.get(key, ())
        yield from self._wide_kinds.values()

    def _forget(self, query: Query) -> None:
        counter = self._counters.pop(query)
        counters = self._counters_by_label[query.label_key]
        del counters[query]
        if not counters:
            del self._counters_by_label[query.label_key]
        for kind in self._kinds_having(query.label_key):
            kind.leave(counter)


def _label_keys(kind: _Kind) -> tuple[LabelKey | None, ...]:
    """Returns by what a kind is found: by each of its labels, and by none."""
    return (None, *((kind.namespace, label, value) for label, value in kind.labels.items()))


def _wide_key(pod: Pod) -> tuple[str, bool]:
    """Returns by what the kind of a placed pod with very many labels is found.

    A trial removes a terminating pod as one that is not, and adds it again: that must not touch the pod's own kind.
    """
    return pod.uid, pod.deleted is not None
