"""Columns that change at instants, as step functions of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.columns.decimals import NEVER

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_STEPS_S = (0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


def edges_between(begin: Nanoseconds, end: Nanoseconds, most: int = 1000) -> IntArray:
    """Returns the edges of at most so many stretches of a round length; the last is shorter."""
    span = max(end - begin, 1)
    width = next((int(step * SECOND) for step in _STEPS_S if step * SECOND * most >= span), span // most + 1)
    count = max(1, -(-span // width))
    edges: IntArray = begin + width * np.arange(count + 1, dtype=np.int64)
    edges[-1] = max(end, begin)
    return edges


class Change:
    """One kind of change: its `times` in order, and by column the running sums of its amounts, beginning with 0."""

    def __init__(self, times: IntArray, **amounts: IntArray | int) -> None:
        happened = np.flatnonzero(times != NEVER)
        order = happened[np.argsort(times[happened], kind="stable")]
        self.times = times[order]
        self.sums = {
            column: np.cumsum(np.append(0, np.broadcast_to(amount, len(times))[order]))
            for column, amount in amounts.items()
        }


class Steps:
    """Columns as sums of changes; each column is computed when its means are asked for."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._times = _distinct(np.concatenate([np.zeros(1, np.int64), *(change.times for change in changes)]))
        self._parts = [_Part(change.sums, _counts(change.times, self._times)) for change in changes]
        self._level = _Level(self._times)

    def means(self, column: str, *edges: IntArray) -> list[FloatArray]:
        """Returns for each list of edges the means between neighbours; of an empty stretch, the value there."""
        self._level.set_column(column, self._parts)
        return [self._level.means(each) for each in edges]


class _Part(NamedTuple):
    """One kind of change: `sums[column][n]` is the effect of the first n changes, `counts[step]` the n at each step."""

    sums: Mapping[str, IntArray]
    counts: npt.NDArray[np.int32]


class _Level:
    """One column as a step function of time; its arrays are large, so one instance serves all columns in turn."""

    def __init__(self, times: IntArray) -> None:
        self._times, self._widths = times, np.diff(times)
        self._values, self._counts, self._sums = np.empty((3, len(times)), np.int64)
        self._areas = np.zeros(len(times))

    def set_column(self, column: str, parts: Sequence[_Part]) -> None:
        """Computes the values of a column: the sum over all kinds of changes that affect it."""
        self._values.fill(0)
        for sums, counts in parts:
            if column in sums:
                self._counts[:] = counts
                self._values += sums[column].take(self._counts, out=self._sums, mode="clip")
        np.multiply(self._values[:-1], self._widths, out=self._areas[1:], dtype=np.float64)
        np.cumsum(self._areas, out=self._areas)

    def means(self, edges: IntArray) -> FloatArray:
        """Returns the mean between each two edges; of an empty stretch, the value there."""
        position = np.clip(np.searchsorted(self._times, edges, "right") - 1, 0, len(self._times) - 1)
        values = self._values[position].astype(np.float64)
        upto = self._areas[position] + values * np.maximum(edges - self._times[position], 0)
        widths = np.diff(edges).astype(np.float64)
        means = np.diff(upto) / np.where(widths > 0, widths, 1)
        return np.where(widths > 0, means, values[1:])


def _distinct(times: IntArray) -> IntArray:
    times.sort(kind="stable")  # which is fast where they are nearly in order
    distinct: IntArray = times[np.append(times[1:] != times[:-1], True)]
    return distinct


def _counts(times: IntArray, steps: IntArray) -> npt.NDArray[np.int32]:
    """Returns how many of the times have come at each step; in 32 bits, since there are very many steps."""
    at_each = np.bincount(np.searchsorted(steps, times), minlength=len(steps))
    return np.cumsum(at_each, dtype=np.int32)
