"""JSON with sorted keys, in time that does not depend on the order in which a client has sent them."""

from __future__ import annotations

from heapq import merge
from typing import Any

import msgspec

_SHORT = 16 * 1024  # bytes in which msgspec sorts within milliseconds: it takes quadratic time for some orders of keys
_AT_ONCE = 10_000  # keys that are sorted in one piece: other threads stand still meanwhile


def encode_sorted(value: Any) -> bytes:
    """Returns a value as JSON with sorted keys."""
    text = msgspec.json.encode(value)
    return msgspec.json.encode(value, order="sorted") if len(text) <= _SHORT else msgspec.json.encode(in_order(value))


def in_order(value: Any) -> Any:
    """Returns a JSON value in which all keys are sorted."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted_keys(value)}
    if isinstance(value, list | tuple):
        return [in_order(each) for each in value]
    return value


def sorted_keys(value: dict[str, Any]) -> list[str]:
    """Returns the keys of an object in order."""
    keys = list(value)
    if len(keys) <= _AT_ONCE:
        return sorted(keys)
    return list(merge(*(sorted(keys[i : i + _AT_ONCE]) for i in range(0, len(keys), _AT_ONCE))))
