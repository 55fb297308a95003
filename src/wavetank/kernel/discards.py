"""Freeing large documents a little at a time: while Python frees one in one piece, no other thread runs."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from sys import getrefcount
from typing import Any

_FREED_ALONE = (dict, list, tuple)
_MANY = 1000  # parts, from which on even the smallest ones are not freed together
_PIECE = 500  # values that are freed together
_REFERENCES = 4  # to what is in one other value: by that, the list of values, a variable and a parameter


class _Collecting(threading.local):
    into: list[Any] | None = None
    free_later: Callable[[list[Any]], object] | None = None


_collecting = _Collecting()


def discard(*values: Any) -> None:
    """Says that the caller needs values no longer: if its thread collects them, they are freed in pieces later."""
    if _collecting.into is not None:
        _collecting.into += values


def discard_large(*values: Any) -> None:
    """Does the same for what may be very large, also in the event loop of a server: it is freed in pieces soon."""
    if _collecting.into is not None:
        _collecting.into += values
    elif _collecting.free_later is not None:
        _collecting.free_later(list(values))


def free_large_by(free_later: Callable[[list[Any]], object]) -> None:
    """Lets this thread pass what is large and discarded to a function, which frees it once nothing else has it."""
    _collecting.free_later = free_later


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

    Other threads run in between. It also looks into values of other classes that nothing else has, but not into those
    in long lists, which are small.
    """
    values[:] = {id(value): value for value in values}.values()
    small: list[Any] = []
    shared: set[int] = set()
    for each in values:  # which grows: those inside come after all that they are in
        if type(each) not in _FREED_ALONE:
            if getrefcount(each) <= _REFERENCES and gc.is_tracked(each):
                values += gc.get_referents(each)
            continue
        if not each:
            continue
        if getrefcount(each) > _REFERENCES:  # it is in several others, or has been looked into already
            if id(each) in shared:
                continue
            shared.add(id(each))
        parts = each.values() if type(each) is dict else each
        if len(parts) > _MANY:
            for part in tuple(parts):
                (values if type(part) in _FREED_ALONE else small).append(part)
        else:
            values += [part for part in tuple(parts) if _may_be_large(part)]
    for part_of in (values, small):
        part_of.reverse()
        while part_of:
            del part_of[-_PIECE:]


def _may_be_large(value: Any) -> bool:
    return bool(value) if type(value) in _FREED_ALONE else gc.is_tracked(value)
