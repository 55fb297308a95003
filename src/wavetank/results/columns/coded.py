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
    """A column with repeated values: `values` are the distinct ones, `codes` the index of each row's value."""

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self._places: dict[Value, int] = defaultdict(count().__next__)  # numbers new values
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
        """Returns the index of each row's value in `values`."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    def count(self, value: Value) -> int:
        """Returns how many rows have a value."""
        return int(np.count_nonzero(self.codes == self._places.get(value, -1)))

    def table(self, of: Callable[[Value], object], dtype: type[Any] = object) -> NDArray[Any]:
        """Returns `of` applied to the distinct values."""
        return np.fromiter(map(of, self._places), dtype, len(self._places))

    def each(self, of: Callable[[Value], object], dtype: type[Any] = object) -> NDArray[Any]:
        """Returns `of` applied to the value of each row."""
        return self.table(of, dtype)[self.codes]

    # other columns

    def mapped(self, of: Callable[[Value], Made]) -> Coded[Made]:
        """Returns the column with `of` applied to every value; several values may become equal."""
        return _column(map(of, self._places), self.codes)

    def paired(self, other: Coded[Other], of: Callable[[Value, Other], Made]) -> Coded[Made]:
        """Returns the column with `of` applied to the values of both columns in each row."""
        left, right = self.values, other.values
        pairs, codes = np.unique(self.codes * len(right) + other.codes, return_inverse=True)
        made = (of(left[pair // len(right)], right[pair % len(right)]) for pair in pairs.tolist())
        return _column(made, codes)

    def taken(self, rows: Integers) -> tuple[list[Value], Integers]:
        """Returns the distinct values of these rows by first occurrence, and the index of each row's value in them."""
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
    """Returns a column of the values at these indexes."""
    column = Coded[Value]()
    column._parts = [column._codes_of(values)[places]]
    return column
