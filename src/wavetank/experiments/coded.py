from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from wavetank.experiments.decimals import Integers

Value = TypeVar("Value", bound=Hashable)


class Coded(Generic[Value]):
    """A column whose values repeat: each is looked at once, and rows have its place among the `values`.

    They are in the order of their first row.
    """

    def __init__(self, rows: int) -> None:
        self._places: _Places[Value] = _Places()
        self.codes: Integers = np.empty(rows, np.int64)

    def put(self, part: slice, values: Sequence[Value]) -> None:
        """Fills in some rows."""
        self.codes[part] = list(map(self._places.__getitem__, values))

    @property
    def values(self) -> list[Value]:
        """Returns the distinct values."""
        return list(self._places)

    def count(self, value: Value) -> int:
        """Returns how many rows have a value."""
        return int(np.count_nonzero(self.codes == self._places.get(value, -1)))

    def each(self, of: Callable[[Value], object], dtype: type[Any] = object) -> NDArray[Any]:
        """Returns a column of what `of` makes of the values."""
        return self.table(of, dtype)[self.codes]

    def table(self, of: Callable[[Value], object], dtype: type[Any] = object) -> NDArray[Any]:
        """Returns what `of` makes of the distinct values, by code."""
        return np.fromiter(map(of, self._places), dtype, len(self._places))


class _Places(dict[Value, int]):
    def __missing__(self, value: Value) -> int:
        place = self[value] = len(self)
        return place
