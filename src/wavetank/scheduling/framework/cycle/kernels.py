"""Compiled loops over scores."""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray


@compiled()
def highest(numbers: NumberArray) -> IntArray:
    """Returns the positions of the highest number."""
    found = np.empty(len(numbers), np.int64)
    count = 0
    for i in range(len(numbers)):
        if count and numbers[i] > numbers[found[0]]:
            count = 0
        if not count or numbers[i] == numbers[found[0]]:
            found[count] = i
            count += 1
    return found[:count]
