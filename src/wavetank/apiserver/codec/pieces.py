"""Writing large documents as JSON a little at a time: while msgspec writes one in one piece, no other thread runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from wavetank.apiserver.codec.sizes import is_large
from wavetank.apiserver.waiting import runs_beside

_PIECE = 256  # values in one list or object that are looked at together


def encode(value: Any) -> bytes:
    """Returns a JSON value as compact text; beside the event loop, that of a large one is made in pieces."""
    return b"".join(_pieces(value)) if runs_beside() and is_large(value) else msgspec.json.encode(value)


def _pieces(value: Any) -> Iterator[bytes]:
    """Yields the text of a large value."""
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
    return _object_parts(value) if isinstance(value, dict) else _list_parts(value)


def _object_parts(value: dict[str, Any]) -> Iterator[Any]:
    items, before = iter(value.items()), b"{"
    while piece := dict(islice(items, _PIECE)):
        if is_large(piece):
            for name, each in piece.items():
                yield before + msgspec.json.encode(name) + b":"
                yield each if is_large(each) else msgspec.json.encode(each)
                before = b","
        else:
            yield before + msgspec.json.encode(piece)[1:-1]
            before = b","
    yield b"}"


def _list_parts(value: list[Any]) -> Iterator[Any]:
    items, before = iter(value), b"["
    while piece := list(islice(items, _PIECE)):
        if is_large(piece):
            for each in piece:
                yield before
                yield each if is_large(each) else msgspec.json.encode(each)
                before = b","
        else:
            yield before + msgspec.json.encode(piece)[1:-1]
            before = b","
    yield b"]"
