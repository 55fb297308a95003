"""When generated pods come: each kind reads its own fields and returns what draws the times."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from random import Random
from typing import Any

from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.distributions import Distribution, Exponential
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds

Times = Callable[[Random], Iterator[Nanoseconds]]

_DAY = 86_400  # seconds


def _burst(given: Mapping[str, Any], pods: int, path: str) -> Times:
    at = fields.duration(given.get("at", 0), f"{path}.at")
    return lambda random: repeat(at, pods)


def _spaced(given: Mapping[str, Any], pods: int, path: str) -> Times:
    every = fields.distribution(given.get("every"), f"{path}.every")
    return lambda random: _after_gaps(every, pods, random)


def _poisson(given: Mapping[str, Any], pods: int, path: str) -> Times:
    gaps = Exponential(1 / _rate(given.get("rate"), f"{path}.rate"))

    def times(random: Random) -> Iterator[Nanoseconds]:
        start = seconds(gaps.sample(random))
        return (start + time for time in _after_gaps(gaps, pods, random))

    return times


def _bursty(given: Mapping[str, Any], pods: int, path: str) -> Times:
    """Reads bursts that share the pods evenly; a burst's pods come within `spread` of its beginning."""
    bursts = fields.integer(given.get("bursts"), f"{path}.bursts", 1, pods)
    every = fields.distribution(given.get("every"), f"{path}.every")
    spread = fields.duration(given.get("spread", 0), f"{path}.spread") / SECOND

    def times(random: Random) -> Iterator[Nanoseconds]:
        starts = list(_after_gaps(every, bursts, random))
        # bursts may overlap, so their pods are sorted together
        return iter(sorted(starts[i % bursts] + seconds(spread * random.random()) for i in range(pods)))

    return times


def _diurnal(given: Mapping[str, Any], pods: int, path: str) -> Times:
    """Reads a Poisson process whose rate follows the day: rate · (1 + swing · cos(2π (t − peak) / period))."""
    rate = _rate(given.get("rate"), f"{path}.rate")
    swing = fields.number(given.get("swing", 0.8), f"{path}.swing")
    peak = fields.duration(given.get("peak", "14h"), f"{path}.peak") / SECOND
    period = fields.duration(given.get("period", _DAY), f"{path}.period") / SECOND
    if swing > 1:
        raise InputError(f"expected a share of the rate, 0 to 1, got {swing}", path=f"{path}.swing")
    if not period:
        raise InputError("expected a period above 0 s", path=f"{path}.period")

    def times(random: Random) -> Iterator[Nanoseconds]:
        gaps, time, left = Exponential(1 / (rate * (1 + swing))), 0.0, pods
        while left:  # thinning: candidates come at the highest rate, and as many are kept as the hour deserves
            time += gaps.sample(random)
            share = (1 + swing * math.cos(2 * math.pi * (time - peak) / period)) / (1 + swing)
            if random.random() < share:
                left -= 1
                yield seconds(time)

    return times


def _rate(value: object, path: str) -> float:
    rate = fields.number(value, path)
    if not 1e-9 <= rate <= 1e9:
        raise InputError(f"expected pods per second, above 0 and at most 1e9, got {rate}", path=path)
    return rate


def _after_gaps(gaps: Distribution, number: int, random: Random) -> Iterator[Nanoseconds]:
    time = 0
    for _ in range(number):
        yield time
        time += seconds(gaps.sample(random))


# By kind, what reads its fields.
TIMES: Mapping[str, Callable[[Mapping[str, Any], int, str], Times]] = {
    "burst": _burst,
    "spaced": _spaced,
    "poisson": _poisson,
    "bursty": _bursty,
    "diurnal": _diurnal,
}
