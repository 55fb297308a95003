"""What an evaluation costs, in the units of the real evaluator, and how much it may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cel.values import EvaluationError

CALL_LIMIT = 1_000_000  # of one expression
REQUEST_LIMIT = 10_000_000  # of all expressions of one object
CONDITIONS_LIMIT = 2_500_000  # of all matchConditions of a webhook
METER = "@meter"  # the name under which the meter of an evaluation is found; no expression can have it

_PER_CHARACTER = 0.1
_PER_PATTERN_CHARACTER = 0.25
_CONSTANT = frozenset(["_[_]", "_[?_]", "size", "type", "dyn", "optional.of", "hasValue", "value"])
_PAIRWISE = frozenset(["sets.contains", "sets.equivalent", "sets.intersects"])


class CostError(EvaluationError):
    """An expression that costs too much."""

    def __init__(self) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")


class Meter:
    """Counts what an evaluation costs, in the meter of a whole as well; a CostError beyond a limit."""

    __slots__ = ("limit", "spent", "whole")

    def __init__(self, limit: int = CALL_LIMIT, whole: Meter | None = None) -> None:
        self.limit = limit
        self.spent = 0.0
        self.whole = whole

    def spend(self, cost: float) -> None:
        """Counts a cost before it is caused."""
        self.spent += cost
        if self.spent > self.limit:
            raise CostError
        if self.whole is not None:
            self.whole.spend(cost)

    def call(self, name: str, args: list[Any]) -> None:
        """Counts the call of a function with these arguments, including the size of its result."""
        if name in _CONSTANT:
            self.spend(1)
        elif name in ("_==_", "_!=_"):
            self.spend(1 + min(deep_size(each) for each in args))
        else:
            cost = 1 + sum(_size(each) for each in args)
            extra = _EXTRA.get(name)
            try:
                self.spend(cost + (extra(*args) if extra is not None else 0))
            except (TypeError, AttributeError):  # arguments of other types: the function says so
                self.spend(cost)


def metered(names: Mapping[str, Any], limit: int = CALL_LIMIT) -> dict[str, Any]:
    """Returns the names of an evaluation that may cost no more than `limit`; names with a meter keep counting too."""
    return {**names, METER: Meter(limit, names.get(METER))}


def _size(value: Any) -> float:
    """Returns what it costs to walk over a value once."""
    if isinstance(value, str | bytes):
        return len(value) * _PER_CHARACTER
    return len(value) if isinstance(value, list | Mapping) else 0


def deep_size(value: Any) -> float:
    """Returns what it costs to compare a value with all its parts."""
    if isinstance(value, list):
        return 1 + sum(map(deep_size, value))
    if isinstance(value, Mapping):
        return 1 + sum(deep_size(each) for each in value.values())
    return 1 + _size(value)


def _pattern(text: str, pattern: str, *_: int) -> float:
    return len(text) * _PER_CHARACTER * max(1, len(pattern) * _PER_PATTERN_CHARACTER)


def _replace(text: str, old: str, new: str, *_: int) -> float:
    return text.count(old) * len(new) * _PER_CHARACTER


def _join(items: list[str], separator: str = "") -> float:
    return (sum(map(len, items)) + len(items) * len(separator)) * _PER_CHARACTER


def _product(left: list[Any], right: list[Any]) -> float:
    return len(left) * len(right)


def _flatten(items: list[Any], depth: int = 1) -> float:
    return sum(len(each) for each in items if isinstance(each, list)) * max(1, depth)


# What a call costs in addition to walking over its arguments once.
_EXTRA: Mapping[str, Callable[..., float]] = {
    "matches": _pattern,
    "find": _pattern,
    "findAll": _pattern,
    "contains": lambda owner, part: len(owner) * len(part) * _PER_CHARACTER**2 if isinstance(owner, str) else 0,
    "replace": _replace,
    "split": lambda text, *_: len(text),
    "join": _join,
    "lists.range": lambda count: max(0, count),
    "distinct": lambda items: len(items) ** 2,
    "sort": lambda items: len(items) * max(1, len(items).bit_length()),
    "flatten": _flatten,
    "format": lambda text, args: sum(map(deep_size, args)),
    "string": deep_size,
    "@in": lambda item, owner: deep_size(item) * len(owner) if isinstance(owner, list) else 0,
    "indexOf": lambda owner, item, *_: deep_size(item) * len(owner) if isinstance(owner, list) else 0,
    "lastIndexOf": lambda owner, item, *_: deep_size(item) * len(owner) if isinstance(owner, list) else 0,
    **dict.fromkeys(_PAIRWISE, _product),
}
