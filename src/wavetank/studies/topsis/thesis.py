"""The thesis's numbers and its own arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Figure 7: cores × 10, memory, storage in all, free storage and frequency of the three nodes.
MATRIX = np.array([[20, 12, 35, 28, 18], [10, 16, 30, 24, 17], [10, 25, 30, 25, 18]], float)
SCORES = (0.6388400116044554, 0.5398885254269778, 0.43057312691343763)  # figure 7, for equal weights
# Table 6.2: weights of CPU, memory, storage, free storage, frequency, and the node that was chosen.
WEIGHTS = {1: (20, 20, 20, 20, 20), 2: (30, 20, 15, 15, 15), 3: (35, 40, 10, 10, 5)}
CHOSEN = {1: 1, 2: 2, 3: 3}
# Table 6.1: percent of memory that stress-ng used on each node, and the node that both schedulers chose.
LOADS = {1: ((0, 0, 70), 1), 2: ((70, 0, 70), 2), 3: ((70, 50, 70), 2), 4: ((70, 70, 0), 3)}


def closeness_of_the_thesis(matrix: NDArray[np.float64], weights: Sequence[float]) -> list[float]:
    """Computes the numbers of figure 7.

    They are made with the norm of the whole matrix, row i compared with the ideal of column i, and a sum that is not
    reset between rows.
    """
    weighted = matrix / np.sqrt((matrix**2).sum()) * np.array(weights)
    distances = []
    for ideal in (weighted.max(axis=0), weighted.min(axis=0)):
        total, found = 0.0, []
        for i, row in enumerate(weighted):
            total = float(np.sqrt(total + ((row - ideal[i]) ** 2).sum()))
            found.append(total)
        distances.append(found)
    return [worst / (best + worst) for best, worst in zip(*distances, strict=True)]
