"""Freeing large documents a little at a time: while Python frees one in one piece, no other thread runs."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from sys import getrefcount
from typing import Any

_FREED_ALONE = (dict, list, tuple)
_MANY = 1000  # parts, from which on even the smallest ones are not freed together
_PIECE = 500  # values that are freed together
_REFERENCES = 4  # to what is in one other value: by that, the list of values, a variable and a parameter


class _Collecting(threading.local):
    into: list[Any] | None = None


_collecting = _Collecting()


def discard(*values: Any) -> None:
    """Says that the caller needs values no longer: if its thread collects them, they are freed in pieces later."""
    if _collecting.into is not None:
        _collecting.into += values


@contextmanager
def collecting_discards() -> Iterator[list[Any]]:
    """Collects what functions in this thread discard, so that it is not freed meanwhile."""
    collected = _collecting.into = []
    try:
        yield collected
    finally:
        _collecting.into = None


def free_in_pieces(values: list[Any]) -> None:
    """Empties a list, and frees the dicts, lists and tuples in its values one after the other, unless others have them.

    Other threads run in between. It also looks into the fields of a value of any other class, but not deeper.
    """
    shared: set[int] = set()
    values += gc.get_referents(*(value for value in values if type(value) not in _FREED_ALONE))
    for each in values:  # which grows: those inside come after all that they are in
        if type(each) not in _FREED_ALONE or not each:
            continue
        if getrefcount(each) > _REFERENCES:  # it is in several others, or has been looked into already
            if id(each) in shared:
                continue
            shared.add(id(each))
        parts = each.values() if type(each) is dict else each
        if len(parts) > _MANY:
            values += parts
        else:
            values += [part for part in tuple(parts) if type(part) in _FREED_ALONE and part]
    values.reverse()
    while values:
        del values[-_PIECE:]
