from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from wavetank.results.columns.decimals import Integers

Value = TypeVar("Value", bound=Hashable)
Other = TypeVar("Other", bound=Hashable)
Made = TypeVar("Made", bound=Hashable)


class Coded(Generic[Value]):
    """A column whose values repeat: each is looked at once, and rows have its place among the `values`."""

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self._places: dict[Value, int] = defaultdict(count().__next__)  # which numbers what is new to it
        self._parts: list[Integers] = [self._codes_of(values)]

    def extend(self, values: Iterable[Value]) -> None:
        """Adds rows."""
        self._parts.append(self._codes_of(values))

    @property
    def values(self) -> list[Value]:
        """Returns the distinct values."""
        return list(self._places)

    @property
    def codes(self) -> Integers:
        """Returns the place of each row's value."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    def count(self, value: Value) -> int:
        """Returns how many rows have a value."""
        return int(np.count_nonzero(self.codes == self._places.get(value, -1)))

    def table(self, of: Callable[[Value], object], dtype: type[Any] = object) -> NDArray[Any]:
        """Returns what `of` makes of the distinct values."""
        return np.fromiter(map(of, self._places), dtype, len(self._places))

    def each(self, of: Callable[[Value], object], dtype: type[Any] = object) -> NDArray[Any]:
        """Returns what `of` makes of the rows' values."""
        return self.table(of, dtype)[self.codes]

    # other columns

    def mapped(self, of: Callable[[Value], Made]) -> Coded[Made]:
        """Returns the column of what `of` makes of the values, which may be the same for several."""
        return _column(map(of, self._places), self.codes)

    def paired(self, other: Coded[Other], of: Callable[[Value, Other], Made]) -> Coded[Made]:
        """Returns the column of what `of` makes of two values that stand in one row."""
        left, right = self.values, other.values
        pairs, codes = np.unique(self.codes * len(right) + other.codes, return_inverse=True)
        made = (of(left[pair // len(right)], right[pair % len(right)]) for pair in pairs.tolist())
        return _column(made, codes)

    def taken(self, rows: Integers) -> tuple[list[Value], Integers]:
        """Returns the values of these rows, in the order of their first one, and the place of each row's among them."""
        codes, values = self.codes[rows], self.values
        firsts = np.full(len(values), len(rows))
        firsts[codes[::-1]] = np.arange(len(rows))[::-1]  # of equal ones the last is kept, which is the first
        present = np.argsort(firsts)[: np.count_nonzero(firsts < len(rows))]
        places = np.empty(len(values), np.int64)
        places[present] = np.arange(len(present))
        return [values[place] for place in present.tolist()], places[codes]

    def _codes_of(self, values: Iterable[Value]) -> Integers:
        return np.array(list(map(self._places.__getitem__, values)), np.int64)


def _column(values: Iterable[Value], places: Integers) -> Coded[Value]:
    """Returns a column whose rows have the values at these places."""
    column = Coded[Value]()
    column._parts = [column._codes_of(values)[places]]
    return column
