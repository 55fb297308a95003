"""Conditions on pods, which a PodIndex counts."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from wavetank.cluster.fields.podaffinity import AffinityTerm
from wavetank.cluster.fields.selectors import LabelSelector

LabelKey = tuple[str, str, str]  # (namespace, label, value)


class Query(Hashable, Protocol):
    """A condition on pods: on their namespace, their labels, and whether they are terminating."""

    def matches(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> int:
        """Returns how often such a pod counts; 0 if it does not match."""
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


class MatchesAny:
    """Pods that match any of very many affinity terms, whose namespaces have been resolved: each counts once per term.

    Few of the terms come into question for a pod: they are found by a label that each of them needs.
    """

    def __init__(self, terms: tuple[AffinityTerm, ...]) -> None:
        self._terms = terms
        self._by_label: dict[tuple[str, str], list[AffinityTerm]] = {}
        self._others: list[AffinityTerm] = []
        for term in terms:
            label = term.needed_label
            (self._others if label is None else self._by_label.setdefault(label, [])).append(term)

    def __hash__(self) -> int:
        return hash(self._terms[0]) + len(self._terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MatchesAny) and self._terms == other._terms

    def matches(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> int:
        """Returns how many of the terms match such a pod."""
        return sum(term.matches(namespace, {}, labels) for term in self._candidates(labels))

    def _candidates(self, labels: Mapping[str, str]) -> Iterator[AffinityTerm]:
        yield from self._others
        if len(labels) < len(self._by_label):
            for label in labels.items():
                yield from self._by_label.get(label, ())
        else:
            for (name, value), terms in self._by_label.items():
                if labels.get(name) == value:
                    yield from terms

    @property
    def label_key(self) -> LabelKey | None:
        """Returns None: each term needs another label."""
        return None
