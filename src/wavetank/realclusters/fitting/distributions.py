"""Distributions as documents write them, fitted to samples in seconds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import pairwise

_DIGITS = 4
_FEW = 10  # samples for which only the mean is known well enough
_PERCENTS = (0, 10, 25, 50, 75, 90, 95, 98, 100)


def normal(values: Iterable[float]) -> dict[str, object]:
    """Returns the normal distribution with the values' mean and deviation."""
    values = list(values)
    mean, deviation = statistics.mean(values), statistics.stdev(values)
    return {"normal": {"mean": round(mean, _DIGITS), "deviation": round(deviation, _DIGITS)}}


def two_normals(values: Sequence[float], split: float) -> dict[str, object]:
    """Returns a mixture of two normal distributions: of the values below the split, and of the others."""
    parts = [value for value in values if value < split], [value for value in values if value >= split]
    return {"mixture": [{"weight": len(part), "of": normal(part)} for part in parts]}


def by_quantiles(values: Sequence[float]) -> object:
    """Returns a distribution with some quantiles of the values, uniform between them: it keeps any shape and tail.

    Of few values it is their mean; of none, 0.
    """
    values = sorted(max(0.0, value) for value in values)
    if len(values) < _FEW or values[-1] == values[0]:
        return round(statistics.mean(values), _DIGITS + 2) if values else 0
    bounds = [(percent, round(_quantile(values, percent / 100), _DIGITS + 2)) for percent in _PERCENTS]
    parts = [{"weight": to - since, "of": _between(low, high)} for (since, low), (to, high) in pairwise(bounds)]
    return {"mixture": parts}


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _between(low: float, high: float) -> object:
    return {"uniform": [low, high]} if high > low else low
