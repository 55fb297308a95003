from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MOST_LEFT = 200_000  # objects, before a collection looks for garbage among them


class _Leftover:
    """How many objects simulations have left in this process since their garbage was last collected."""

    objects = 0


@contextmanager
def rare_collections() -> Iterator[None]:
    """Lets the garbage collector look rarely, and not at what is there already.

    What a simulation makes either stays to its end or is freed by its last reference, so that looking for cycles
    costs much and finds next to nothing. What is left in circles at its end is collected before another one begins,
    once it has become much.
    """
    if _Leftover.objects > _MOST_LEFT:
        _Leftover.objects = 0
        gc.collect()
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(1_000_000, 50, 1000)
    try:
        yield
    finally:
        _Leftover.objects += gc.get_count()[0]
        gc.set_threshold(*thresholds)
        gc.freeze()  # what was made meanwhile counts as old: it is not looked at now, all at once
        gc.unfreeze()


@contextmanager
def no_collections() -> Iterator[None]:
    """Lets the garbage collector wait while many objects are made that stay: it would look at all of them twice."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def short_collections() -> None:
    """Lets the garbage collector look at few objects at a time from now on.

    For a server: a collection that looks at millions of objects would keep its clients waiting for seconds.
    """
    gc.collect()  # what is there already counts as old from now on
    gc.set_threshold(20_000, 2, 10_000)  # a collection looks at 80,000 objects at most, but for one in 600 million
