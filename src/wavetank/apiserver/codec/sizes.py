"""How large and how deep JSON values are."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wavetank.cluster.yamldepth import MAX_DEPTH

_MANY_VALUES = 2000  # which are looked at within a few milliseconds


def is_large(value: Any) -> bool:
    """Tells whether a JSON value has very many values inside; of a large one only some are looked at."""
    left = [value]
    seen = 0
    while left:
        inside = _inside(left.pop())
        seen += len(inside)
        if seen > _MANY_VALUES:
            return True
        left.extend(inside)
    return False


def is_too_deep(value: Any) -> bool:
    """Tells whether a JSON value has more levels than a document may have."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inside for each in level for inside in _inside(each) if isinstance(inside, (dict, list))]
        if not level:
            return False
    return True


def _inside(value: Any) -> Collection[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
