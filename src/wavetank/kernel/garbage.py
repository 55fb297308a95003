from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

_BUSY_S, _IDLE_S = 0.02, 0.1  # between two looks at how much was done
_WORK_S = 0.005  # of CPU time, in which some ten thousand objects are made
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
    gc.set_threshold(20_000, 2, 10_000)


async def collect_while_busy() -> None:
    """Looks for garbage among new objects after every few milliseconds of work of this process; never ends.

    Python counts new objects less those that are freed: where old ones are replaced, hundreds of thousands come
    together before it looks at them itself.
    """
    number, worked, used = 0, 0.0, time.process_time()
    while True:
        await asyncio.sleep(_BUSY_S if worked > _WORK_S else _IDLE_S)
        before, used = used, time.process_time()
        worked = used - before
        if worked > _WORK_S:
            number += 1
            gc.collect(number % 3 == 0)  # every third time also among those that the last two have left
