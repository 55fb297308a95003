from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wavetank.cluster.fields.selectors import NodeSelectorTerm, Requirement

MANY_TERMS = 32  # from which on an index is worth it


class NodeTermIndex:
    """Many terms by a label or node name that each of them needs: few of them come into question for a node."""

    def __init__(self, terms: Sequence[NodeSelectorTerm]) -> None:
        self._terms = terms
        self._by_label: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_key: defaultdict[str, list[int]] = defaultdict(list)
        self._by_name: defaultdict[str, list[int]] = defaultdict(list)
        self._others: list[int] = []  # that only say what must not be
        for place, term in enumerate(terms):
            self._add(place, term)

    def _add(self, place: int, term: NodeSelectorTerm) -> None:
        named = next((each for each in term.fields if each.operator == "In"), None)
        valued = [each for each in term.expressions if each.operator == "In"]
        keyed = next((each for each in term.expressions if each.operator in ("Exists", "Gt", "Lt")), None)
        if named is not None:
            for name in named.values:
                self._by_name[name].append(place)
        elif valued:
            needed: Requirement = min(valued, key=lambda each: len(each.values))
            for value in needed.values:
                self._by_label[needed.key, value].append(place)
        elif keyed is not None:
            self._by_key[keyed.key].append(place)
        else:
            self._others.append(place)

    def matching(self, labels: Mapping[str, str], name: str) -> Iterator[int]:
        """Yields the places of the terms that a node with these labels and this name meets."""
        for place in self._candidates(labels, name):
            if self._terms[place].matches(labels, name):
                yield place

    def _candidates(self, labels: Mapping[str, str], name: str) -> Iterator[int]:
        yield from self._by_name.get(name, ())
        for label in labels.items():
            yield from self._by_label.get(label, ())
            yield from self._by_key.get(label[0], ())
        yield from self._others
