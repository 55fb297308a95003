from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import BoolArray
from wavetank.scheduling.framework.nodes.labelcolumns import FloatArray


def closeness(matrix: FloatArray, weights: FloatArray, benefit: BoolArray) -> FloatArray:
    """Ranks alternatives (rows) by criteria (columns): 1 is the ideal, 0 the worst; if all are equal they are 1.

    Columns are divided by their Euclidean norms, then weighted. `benefit` says of which criteria more is better.
    """
    norms = np.sqrt((matrix**2).sum(axis=0))
    weighted = matrix / np.where(norms, norms, 1) * weights
    highest, lowest = weighted.max(axis=0), weighted.min(axis=0)
    to_best = _distance(weighted, np.where(benefit, highest, lowest))
    to_worst = _distance(weighted, np.where(benefit, lowest, highest))
    total = to_best + to_worst
    return np.where(total, to_worst / np.where(total, total, 1), 1.0)


def _distance(points: FloatArray, ideal: FloatArray) -> FloatArray:
    distance: FloatArray = np.sqrt(((points - ideal) ** 2).sum(axis=1))
    return distance
