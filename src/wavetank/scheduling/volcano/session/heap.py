from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Heap(Generic[T]):
    """A priority queue that works like Go's container/heap, move for move.

    The order of what is in it may change while it is there; what comes out then depends on the moves.
    """

    def __init__(self, less: Callable[[T, T], bool], items: Iterable[T] = ()) -> None:
        self._less = less
        self._items: list[T] = []
        for item in items:
            self.push(item)

    def __len__(self) -> int:
        return len(self._items)

    def push(self, item: T) -> None:
        """Puts something in."""
        items, less = self._items, self._less
        items.append(item)
        j = len(items) - 1
        while j > 0:
            i = (j - 1) // 2
            if not less(items[j], items[i]):
                break
            items[i], items[j] = items[j], items[i]
            j = i

    def pop(self) -> T:
        """Takes out what comes first."""
        items, less = self._items, self._less
        n = len(items) - 1
        items[0], items[n] = items[n], items[0]
        i = 0
        while (j := 2 * i + 1) < n:
            if j + 1 < n and less(items[j + 1], items[j]):
                j += 1
            if not less(items[j], items[i]):
                break
            items[i], items[j] = items[j], items[i]
            i = j
        return items.pop()
