"""Writing large documents as JSON a little at a time: while msgspec writes one in one piece, no other thread runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from wavetank.apiserver.waiting import runs_beside

_MANY_VALUES = 2000  # which are looked at within a few milliseconds
_PIECE = 256  # values in one list or object that are looked at together


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
    return b"".join(_pieces(value)) if runs_beside() and is_large(value) else msgspec.json.encode(value)


def _pieces(value: Any) -> Iterator[bytes]:
    """Yields the text of a large value, which may be nested as deeply as it likes."""
    begun = [_parts(value)]
    while begun:
        for part in begun[-1]:
            if not isinstance(part, bytes):
                begun.append(_parts(part))
                break
            yield part
        else:
            begun.pop()


def _parts(value: Any) -> Iterator[Any]:
    """Yields the text of a list or an object in pieces, and in their places the large values inside."""
    is_object = isinstance(value, dict)
    kind = dict if is_object else list
    items = iter(value.items() if is_object else value)
    comma = b"{" if is_object else b"["
    while piece := kind(islice(items, _PIECE)):
        if not is_large(piece):
            yield comma + msgspec.json.encode(piece)[1:-1]
            comma = b","
            continue
        for inside in piece:
            yield comma + (msgspec.json.encode(inside) + b":" if is_object else b"")
            comma = b","
            each = piece[inside] if is_object else inside
            yield each if is_large(each) else msgspec.json.encode(each)
    yield b"}" if is_object else b"]"
