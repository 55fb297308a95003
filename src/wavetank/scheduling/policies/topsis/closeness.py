from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import BoolArray
from wavetank.scheduling.framework.nodes.labelcolumns import FloatArray


class Ranking(NamedTuple):
    """All steps of TOPSIS: a row for each alternative, a column for each criterion.

    `best` and `worst` are the ideals, `to_best` and `to_worst` the distances to them. `closeness` is 1 for the ideal
    and 0 for the worst; if all alternatives are equal it is 1.
    """

    matrix: FloatArray
    normalised: FloatArray
    weighted: FloatArray
    best: FloatArray
    worst: FloatArray
    to_best: FloatArray
    to_worst: FloatArray
    closeness: FloatArray


def rank(matrix: FloatArray, weights: FloatArray, benefit: BoolArray) -> Ranking:
    """Ranks alternatives by criteria.

    Columns are divided by their Euclidean norms, then weighted. `benefit` says of which criteria more is better.
    """
    norms = np.sqrt((matrix**2).sum(axis=0))
    normalised = matrix / np.where(norms, norms, 1)
    weighted = normalised * weights
    highest, lowest = weighted.max(axis=0), weighted.min(axis=0)
    best, worst = np.where(benefit, highest, lowest), np.where(benefit, lowest, highest)
    to_best, to_worst = _distance(weighted, best), _distance(weighted, worst)
    total = to_best + to_worst
    closeness = np.where(total, to_worst / np.where(total, total, 1), 1.0)
    return Ranking(matrix, normalised, weighted, best, worst, to_best, to_worst, closeness)


def closeness(matrix: FloatArray, weights: FloatArray, benefit: BoolArray) -> FloatArray:
    """Returns how close each alternative is to the ideal, from 0 to 1."""
    return rank(matrix, weights, benefit).closeness


def _distance(points: FloatArray, ideal: FloatArray) -> FloatArray:
    distance: FloatArray = np.sqrt(((points - ideal) ** 2).sum(axis=1))
    return distance
