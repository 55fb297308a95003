"""Functions of lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from wavetank.cel.functions.arithmetic import add, compare
from wavetank.cel.values import EvaluationError, equal


def _is_sorted(items: list[Any]) -> bool:
    return all(compare(*pair) <= 0 for pair in pairwise(items))


def _sum(items: list[Any]) -> Any:
    total: Any = items[0] if items else 0
    for each in items[1:]:
        total = add(total, each)
    return total


def _extreme(sign: int, name: str) -> Callable[[list[Any]], Any]:
    def find(items: list[Any]) -> Any:
        if not items:
            raise EvaluationError(f"{name} called on empty list")
        best = items[0]
        for each in items[1:]:
            best = each if compare(each, best) * sign > 0 else best
        return best

    return find


def _slice(items: list[Any], start: int, end: int) -> list[Any]:
    if not 0 <= start <= end <= len(items):
        raise EvaluationError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def _distinct(items: list[Any]) -> list[Any]:
    found: list[Any] = []
    for each in items:
        if not any(equal(each, other) for other in found):
            found.append(each)
    return found


def _flatten(items: list[Any], depth: int = 1) -> list[Any]:
    found: list[Any] = []
    for each in items:
        found.extend(_flatten(each, depth - 1) if isinstance(each, list) and depth else [each])
    return found


def _sort(items: list[Any]) -> list[Any]:
    return sorted(items, key=cmp_to_key(compare))


def _contains_all(left: list[Any], right: list[Any]) -> bool:
    return all(any(equal(each, other) for other in left) for each in right)


LIST_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "isSorted": _is_sorted,
    "sum": _sum,
    "min": _extreme(-1, "min"),
    "max": _extreme(1, "max"),
    "slice": _slice,
    "distinct": _distinct,
    "reverse": lambda items: items[::-1],
    "sort": _sort,
    "flatten": _flatten,
    "lists.range": lambda count: list(range(count)),
    "sets.contains": _contains_all,
    "sets.equivalent": lambda left, right: _contains_all(left, right) and _contains_all(right, left),
    "sets.intersects": lambda left, right: any(_contains_all(left, [each]) for each in right),
}
