from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from wavetank.cluster.fields.labels import VERY_MANY
from wavetank.cluster.fields.selectors import LabelSelector

Key = tuple[str, str]
_Place = tuple[str, str, str]  # (namespace, label, value)


class SelectorIndex:
    """Label selectors of objects, indexed for lookup by the labels that they select.

    A selector is filed under one label that it requires to have one value, if there is such a label and not very many.
    """

    def __init__(self) -> None:
        self._selectors: dict[Key, tuple[LabelSelector, _Place]] = {}
        self._filed: defaultdict[_Place, dict[Key, LabelSelector]] = defaultdict(dict)

    def put(self, key: Key, selector: LabelSelector) -> None:
        """Adds an object (namespace, name) or its new selector."""
        known = self._selectors.get(key)
        if known is not None and known[0] == selector:
            return
        self.drop(key)
        place = _place(key[0], selector)
        self._selectors[key] = (selector, place)
        self._filed[place][key] = selector

    def __contains__(self, key: Key) -> bool:
        return key in self._selectors

    def of(self, key: Key) -> LabelSelector:
        """Returns the selector of an object."""
        return self._selectors[key][0]

    def drop(self, key: Key) -> None:
        """Removes an object."""
        known = self._selectors.pop(key, None)
        if known is not None:
            del self._filed[known[1]][key]
            if not self._filed[known[1]]:
                del self._filed[known[1]]

    def matching(self, namespace: str, labels: Mapping[str, str]) -> Iterator[Key]:
        """Yields the objects of a namespace whose selectors match these labels."""
        names: Iterable[str] = labels
        if len(labels) > VERY_MANY:  # few of which anything is selected by
            filed = {label for other, label, value in self._filed if other == namespace and labels.get(label) == value}
            names = [label for label in labels if label in filed]
        for place in ((namespace, "", ""), *((namespace, label, labels[label]) for label in names)):
            for key, selector in list(self._filed.get(place, {}).items()):
                if selector.matches(labels):
                    yield key


def _place(namespace: str, selector: LabelSelector) -> _Place:
    requirements = selector.requirements or ()
    if len(requirements) > VERY_MANY:  # most pods lack the first label that is looked for
        return namespace, "", ""
    for requirement in sorted(requirements, key=lambda each: each.key):
        if requirement.operator == "In" and len(requirement.values) == 1:
            return namespace, requirement.key, next(iter(requirement.values))
    return namespace, "", ""
