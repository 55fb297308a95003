"""How large JSON values are."""

from __future__ import annotations

from typing import Any

_MANY_VALUES = 2000  # which are looked at within a few milliseconds


def is_large(value: Any) -> bool:
    """Tells whether a JSON value has very many values inside; of a large one only some are looked at."""
    left = [value]
    seen = 0
    while left:
        each = left.pop()
        inside = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        seen += len(inside)
        if seen > _MANY_VALUES:
            return True
        left.extend(inside)
    return False
