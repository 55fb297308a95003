from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rare_collections() -> Iterator[None]:
    """Lets the garbage collector look rarely, and not at what is there already.

    What a simulation makes either stays to its end or is freed by its last reference, so that looking for cycles
    costs much and finds next to nothing.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(1_000_000, 50, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.freeze()  # what was made meanwhile counts as old: it is not looked at now, all at once
        gc.unfreeze()
