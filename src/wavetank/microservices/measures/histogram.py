from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wavetank.kernel.compiling import compiled
from wavetank.kernel.durations import SECOND, Nanoseconds

_DIGITS = 8  # bits of a value that are kept: a relative error below 1/256
_HALF = 1 << (_DIGITS - 1)
BUCKETS = (64 - _DIGITS) * _HALF + 2 * _HALF


@compiled()
def bucket_of(value: int) -> int:
    """Returns the bucket of a value, 0 or more: exact below 256, then 128 buckets for each power of two."""
    shift = 0
    while (value >> shift) >= _HALF << 9:
        shift += 8
    while (value >> shift) >= 2 * _HALF:
        shift += 1
    return shift * _HALF + (value >> shift)


def lowest(bucket: int) -> int:
    """Returns the lowest value of a bucket."""
    if bucket < 2 * _HALF:
        return bucket
    shift = (bucket - _HALF) // _HALF
    return (bucket - shift * _HALF) << shift


class Histogram:
    """Counts of latencies in log-linear buckets (HDR): any quantile within 0.4 %, in constant memory.

    Histograms add up, so quantiles of a whole are never means of quantiles.
    """

    __slots__ = ("_counts", "_new", "maximum", "total")

    def __init__(self, counts: NDArray[np.int64] | None = None, total: float = 0.0, maximum: int = 0) -> None:
        self._counts = counts
        self._new: dict[int, int] = {}  # single counts are kept here first: an array is slow to change one by one
        self.total = total  # nanoseconds
        self.maximum = maximum

    def add(self, value: Nanoseconds) -> None:
        """Counts one latency."""
        shift = max(0, value.bit_length() - _DIGITS)
        bucket = shift * _HALF + (value >> shift)
        self._new[bucket] = self._new.get(bucket, 0) + 1
        self.total += value
        if value > self.maximum:
            self.maximum = value

    @property
    def counts(self) -> NDArray[np.int64]:
        """Returns the counts of all buckets."""
        if self._counts is None:
            self._counts = np.zeros(BUCKETS, np.int64)
        for bucket, count in self._new.items():
            self._counts[bucket] += count
        self._new.clear()
        return self._counts

    def include(self, other: Histogram) -> None:
        """Adds the counts of another histogram."""
        self._counts = self.counts + other.counts
        self.total += other.total
        self.maximum = max(self.maximum, other.maximum)

    @property
    def number(self) -> int:
        """Returns how many latencies were counted."""
        return int(self.counts.sum())

    def mean(self) -> float:
        """Returns the mean in seconds, exactly; 0 if nothing was counted."""
        number = self.number
        return self.total / number / SECOND if number else 0.0

    def quantile(self, share: float) -> float:
        """Returns the nearest-rank quantile in seconds, from the middle of its bucket; 0 if nothing was counted."""
        number = self.number
        if not number:
            return 0.0
        rank = max(1, int(np.ceil(share * number)))
        bucket = int(np.searchsorted(np.cumsum(self.counts), rank))
        low, high = lowest(bucket), lowest(bucket + 1) - 1
        return min((low + high) / 2, self.maximum) / SECOND

    def rows(self) -> list[tuple[int, int]]:
        """Returns (lowest value in nanoseconds, count) of each bucket that is not empty."""
        filled: Any = np.flatnonzero(self.counts)
        return [(lowest(int(bucket)), int(self.counts[bucket])) for bucket in filled]
