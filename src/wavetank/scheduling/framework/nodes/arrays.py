"""The array types that plugins pass around."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
SlotArray = npt.NDArray[np.uint64]  # for compiled code, which looks twice at an index that might be negative
BoolArray = npt.NDArray[np.bool_]
NumberArray = npt.NDArray[np.int64] | npt.NDArray[np.float64]


def quadruples(rows: Sequence[Sequence[int]]) -> IntArray:
    """Returns rows of four numbers as an array, also if there are none."""
    return np.array(rows, np.int64).reshape(-1, 4)


def ring(slots: IntArray, start: int, length: int) -> IntArray:
    """Returns `length` slots from `start` on, wrapping around at the end."""
    end = start + length
    if end <= len(slots):
        return slots[start:end]
    return np.concatenate((slots[start:], slots[: end - len(slots)]))
