"""Merges a current value and an applied one."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.structured.types import MISSING, ListType, MapType, MergeType, UntypedError


def merge(kind: MergeType, old: Any, new: Any) -> Any:
    """Returns the old value with everything that the new one states; nothing is removed."""
    if old is MISSING or new is MISSING:
        return new if old is MISSING else old
    form = kind.form(new)
    if form == "map" and kind.map is not None and not kind.map.atomic and (_map(old) or _map(new)):
        return _merge_maps(kind.map, _map(old), _map(new))
    if form == "list" and kind.list is not None and not kind.list.atomic and (_list(old) or _list(new)):
        return _merge_lists(kind.list, _list(old), _list(new))
    return new


def _map(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _list(value: Any) -> list[Any]:
    return value if type(value) is list else []


def _merge_maps(kind: MapType, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return {name: merge(kind.at(name), old.get(name, MISSING), new.get(name, MISSING)) for name in {**old, **new}}


def _merge_lists(kind: ListType, old: list[Any], new: list[Any]) -> list[Any]:
    """Merges by keys; items stay in their old order, except that those in both lists follow the new one."""
    theirs = _index(kind, new, duplicates=False)
    ours = _index(kind, old, duplicates=True)
    return _Zipper(kind, old, [kind.element(each) for each in old], ours, theirs).merged()


def _index(kind: ListType, values: list[Any], *, duplicates: bool) -> dict[str, Any]:
    """Returns items by their elements; duplicates have no value, since they are not merged."""
    found: dict[str, Any] = {}
    for each in values:
        element = kind.element(each)
        if element in found and not duplicates:
            raise UntypedError(f"duplicate entries for key {element}")
        found[element] = None if element in found else each
    return found


class _Zipper:
    """Merges two keyed lists in one pass, in the order of the real server."""

    def __init__(
        self, kind: ListType, old: list[Any], order: list[str], ours: dict[str, Any], theirs: dict[str, Any]
    ) -> None:
        self._kind, self._old, self._order, self._ours, self._theirs = kind, old, order, ours, theirs
        self._shared = [element for element in theirs if element in ours]
        self._done: set[str] = set()
        self._out: list[Any] = []

    def merged(self) -> list[Any]:
        """Returns the merged list."""
        coming = list(self._theirs)
        at, there = 0, 0
        while at < len(self._order) or there < len(coming):
            if at < len(self._order):
                element = self._order[at]
                if there < len(coming) and element == coming[there]:
                    self._take(element)
                    at, there = at + 1, there + 1
                    continue
                if element not in self._theirs:
                    self._keep(at)
                    at += 1
                    continue
                if there < len(coming) and self._shared and self._shared[0] != element:
                    at += 1  # in both, but not the one whose turn it is
                    continue
                if element in self._done:
                    at += 1
            if there < len(coming):
                self._take(coming[there])
                there += 1
        return self._out

    def _keep(self, at: int) -> None:
        self._out.append(self._old[at])

    def _take(self, element: str) -> None:
        """Takes an item of the new list, merged with the old one if there is one."""
        self._done.add(element)
        if self._shared and self._shared[0] == element:
            self._shared.pop(0)
        self._out.append(merge(self._kind.items, self._ours.get(element, MISSING), self._theirs[element]))
