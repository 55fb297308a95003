"""Writing large documents as JSON a little at a time: while msgspec writes one in one piece, no other thread runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from wavetank.apiserver.webhooks.waiting import runs_beside

_MANY_VALUES = 2000  # which are looked at within a few milliseconds
_PIECE = 256  # values in one list or object that are looked at together
_LEVELS = 30  # to which lists and objects are taken apart


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


def encode(value: Any) -> bytes:
    """Returns a JSON value as compact text; beside the event loop, that of a large one is made in pieces."""
    return b"".join(_pieces(value, _LEVELS)) if runs_beside() else msgspec.json.encode(value)


def _pieces(value: Any, levels: int) -> Iterator[bytes]:
    if not levels or not is_large(value):
        yield msgspec.json.encode(value)
        return
    is_object = isinstance(value, dict)
    kind = dict if is_object else list
    items = iter(value.items() if is_object else value)
    comma = b"{" if is_object else b"["
    while part := kind(islice(items, _PIECE)):
        if not is_large(part):
            yield comma + msgspec.json.encode(part)[1:-1]
            comma = b","
            continue
        for inside in part:
            yield comma
            comma = b","
            if is_object:
                yield msgspec.json.encode(inside) + b":"
            yield from _pieces(part[inside] if is_object else inside, levels - 1)
    yield b"}" if is_object else b"]"
