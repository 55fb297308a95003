"""Confidence intervals over the seeds of an experiment."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

CONFIDENCE = 0.95
_POWER_QUANTILE = 0.8416212335729143  # of the normal distribution: 80 %


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over `n` values with its 95 % confidence interval, all in the unit of the values.

    For a single value `half_width`, `low` and `high` are None.
    """

    mean: float
    half_width: float | None
    low: float | None
    high: float | None
    n: int


def mean_interval(values: Sequence[float]) -> Interval:
    """Returns the mean of `values` with its 95 % confidence interval by Student's t.

    ValueError if there are no values, or if one is not finite.
    """
    n = len(values)
    if n == 0:
        raise ValueError("the mean of no values is undefined")
    if not all(math.isfinite(value) for value in values):
        raise ValueError(f"the mean needs finite values, got {list(values)}")
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, None, None, None, n)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half_width = t_quantile(n - 1) * math.sqrt(variance / n)
    return Interval(mean, half_width, mean - half_width, mean + half_width, n)


def paired_p_value(differences: Sequence[float]) -> float | None:
    """Returns the p-value of the paired t-test; None for a single difference."""
    interval = mean_interval(differences)
    if interval.half_width is None:
        return None
    if not interval.half_width:
        return 1.0 if not interval.mean else 0.0
    return _outside(abs(interval.mean) / interval.half_width * t_quantile(interval.n - 1), interval.n - 1)


def holm(p_values: Sequence[float | None]) -> list[bool | None]:
    """Returns which p-values are significant at 5 % by Holm's rule for all of them; None where there is none."""
    order = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    found: list[bool | None] = [None if p is None else False for p in p_values]
    for rank, (p, i) in enumerate(order):
        if p > (1 - CONFIDENCE) / (len(order) - rank):
            break
        found[i] = True
    return found


def seeds_to_tell(differences: Sequence[float], level: float = 1 - CONFIDENCE) -> int | None:
    """Returns about how many differences a paired t-test needs to tell their mean from 0.

    With so many a test at this level finds a true difference as large as the observed mean, with the observed
    variance, in 80 % of the cases. None if that is not known: for a single difference, and if the mean is 0.
    """
    interval = mean_interval(differences)
    if interval.half_width is None or not interval.mean:
        return None
    deviation = interval.half_width / t_quantile(interval.n - 1) * math.sqrt(interval.n)
    enough = 2
    while not _tells(enough, deviation, interval.mean, level):
        enough *= 2
    return bisect_left(range(enough), True, lo=2, key=lambda n: _tells(n, deviation, interval.mean, level))


def _tells(n: int, deviation: float, mean: float, level: float) -> bool:
    return (t_quantile(n - 1, level) + _POWER_QUANTILE) * deviation <= abs(mean) * math.sqrt(n)


@lru_cache(maxsize=4096)
def t_quantile(degrees: int, level: float = 1 - CONFIDENCE) -> float:
    """Returns what the absolute value of Student's t with `degrees` of freedom exceeds with probability `level`."""
    if degrees < 1:
        raise ValueError(f"Student's t needs at least one degree of freedom, got {degrees}")
    low, high = 0.0, 12.8
    while _outside(high, degrees) > level:
        low, high = high, 2 * high
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if _outside(middle, degrees) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _outside(t: float, degrees: int) -> float:
    """Returns the probability that a Student variable lies outside ±t."""
    a, b = degrees / 2, 0.5
    x = degrees / (degrees + t * t)
    complement = t * t / (degrees + t * t)  # 1 - x loses its digits for many degrees
    if not complement or not x:
        return 0.0 if not x else 1.0
    log_front = a * math.log(x) + b * math.log(complement) - _log_beta(a, b)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _beta_fraction(x, a, b) / a
    return 1 - math.exp(log_front) * _beta_fraction(complement, b, a) / b


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Returns the continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = value
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(value - before) <= 1e-15 * abs(value):
            break
    return value
