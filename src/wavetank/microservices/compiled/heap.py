"""A binary heap of events in one array, by (time, order of scheduling)."""

from __future__ import annotations

from typing import Any

import numpy as np

from wavetank.kernel.compiling import compiled

Array = Any  # of int64 or float64; Numba infers which
Number = Any  # of NumPy or of Python

# columns of an event; what happens is its kind in the lowest three bits and the number of its subject above
DUE, ORDER, WHAT, EVENT_COLUMNS = 0, 1, 2, 3
KIND_BITS = 3
KINDS = (1 << KIND_BITS) - 1

_SEQUENCE, _SIZE = 2, 3  # columns of the state of the loop


@compiled()
def push(events: Array, state: Array, due: Number, kind: int, subject: int) -> Array:
    """Adds an event; returns the array, which may have grown."""
    at = state[_SIZE]
    if at == len(events):
        larger = np.empty((2 * at, EVENT_COLUMNS), np.int64)
        larger[:at] = events
        events = larger
    state[_SIZE] = at + 1
    state[_SEQUENCE] += 1
    while at:
        up = (at - 1) >> 1
        if events[up, DUE] <= due:
            break
        events[at, DUE] = events[up, DUE]
        events[at, ORDER] = events[up, ORDER]
        events[at, WHAT] = events[up, WHAT]
        at = up
    events[at, DUE] = due
    events[at, ORDER] = state[_SEQUENCE]
    events[at, WHAT] = (subject << KIND_BITS) | kind
    return events


@compiled()
def pop(events: Array, state: Array) -> None:
    """Removes the first event."""
    size = state[_SIZE] - 1
    state[_SIZE] = size
    due, order, what = events[size, DUE], events[size, ORDER], events[size, WHAT]
    at = 0
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        other = down + 1
        if other < size and (
            events[other, DUE] < events[down, DUE]
            or (events[other, DUE] == events[down, DUE] and events[other, ORDER] < events[down, ORDER])
        ):
            down = other
        if due < events[down, DUE] or (due == events[down, DUE] and order < events[down, ORDER]):
            break
        events[at, DUE] = events[down, DUE]
        events[at, ORDER] = events[down, ORDER]
        events[at, WHAT] = events[down, WHAT]
        at = down
    events[at, DUE] = due
    events[at, ORDER] = order
    events[at, WHAT] = what
