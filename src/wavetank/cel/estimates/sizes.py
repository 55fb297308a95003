from __future__ import annotations

import math
from typing import NamedTuple

MOST = 2**64 - 1  # more is counted as this

TEXT_FACTOR = 0.1  # the cost of walking over a character
PATTERN_FACTOR = 0.25  # of a character of a regular expression


def add(*costs: int) -> int:
    """Returns the sum of costs."""
    return min(sum(costs), MOST)


def multiply(one: int, other: int) -> int:
    """Returns the product of costs or sizes."""
    return min(one * other, MOST)


def scale(size: int, factor: float) -> int:
    """Returns the cost of so many units, rounded up."""
    product = float(size) * factor
    return MOST if product >= 2.0**64 else math.ceil(product)


class Size(NamedTuple):
    """The least and the greatest size that a text, list or map may have."""

    least: int
    most: int

    def union(self, other: Size) -> Size:
        """Returns the size of something that is one of two."""
        return Size(min(self.least, other.least), max(self.most, other.most))

    def plus(self, other: Size) -> Size:
        """Returns the size of two in a row."""
        return Size(add(self.least, other.least), add(self.most, other.most))

    def times(self, other: Size) -> Size:
        """Returns the product of two sizes."""
        return Size(multiply(self.least, other.least), multiply(self.most, other.most))

    def cost(self, factor: float) -> int:
        """Returns what it costs at most to walk over something of this size."""
        return scale(self.most, factor)


UNKNOWN = Size(0, MOST)


def exactly(size: int) -> Size:
    """Returns a size that is known."""
    return Size(size, size)


class Entry(NamedTuple):
    """The sizes of the keys and values of a map, or of the items of a list."""

    is_list: bool
    key: Size
    value: Size

    def union(self, other: Entry) -> Entry:
        """Returns the sizes in something that is one of two."""
        return Entry(self.is_list, self.key.union(other.key), self.value.union(other.value))
