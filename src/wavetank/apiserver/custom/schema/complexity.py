"""How much work a schema makes of each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_RULES = "x-kubernetes-validations"
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")
_LOOPS = ("all(", "exists(", "exists_one(", "map(", "filter(", "sort")
_LONG = ("replace(", "findAll(", "split(", "join(", "format(", "range(")  # what makes much of a short text
_RULE, _NESTED_LOOPS, _ANY_LENGTH = 10, 1000, 100_000


def complexity(schema: Mapping[str, Any]) -> int:
    """Returns about how often a value is looked at: by alternatives, and by rules with loops in loops or long texts."""
    return 1 + sum(_own(each) for each in _schemas(schema))


def _own(schema: Mapping[str, Any]) -> int:
    rules = sum(_rule(str(each.get("rule", ""))) for each in schema.get(_RULES) or ())
    return rules + sum(len(schema.get(name) or ()) for name in _ALTERNATIVES)


def _rule(text: str) -> int:
    if any(name in text for name in _LONG):
        return _ANY_LENGTH
    return _NESTED_LOOPS if sum(text.count(loop) for loop in _LOOPS) > 1 else _RULE


def _schemas(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yields a schema and those inside it."""
    pending = [schema]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            yield each
            pending += each.values()
        elif isinstance(each, list):
            pending += each
