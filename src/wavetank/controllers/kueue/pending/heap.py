from __future__ import annotations

from collections.abc import Callable, Iterator

from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo


class Heap:
    """A heap of workloads by key, with the swaps of Go's container/heap: equal workloads leave it in the same order."""

    def __init__(self, less: Callable[[WorkloadInfo, WorkloadInfo], bool]) -> None:
        self._less = less
        self._items: list[WorkloadInfo] = []
        self._index: dict[Key, int] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: Key) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[WorkloadInfo]:
        return iter(self._items)

    def get(self, key: Key) -> WorkloadInfo | None:
        """Returns the workload of a key."""
        index = self._index.get(key)
        return None if index is None else self._items[index]

    def put(self, workload: WorkloadInfo) -> None:
        """Adds a workload, or replaces the one of the same key."""
        index = self._index.get(workload.key)
        if index is None:
            self.add(workload)
        else:
            self._items[index] = workload
            if not self._down(index, len(self._items)):
                self._up(index)

    def add(self, workload: WorkloadInfo) -> bool:
        """Adds a workload unless its key is there; returns whether it was added."""
        if workload.key in self._index:
            return False
        self._index[workload.key] = len(self._items)
        self._items.append(workload)
        self._up(len(self._items) - 1)
        return True

    def pop(self) -> WorkloadInfo:
        """Removes and returns the first workload."""
        last = len(self._items) - 1
        self._swap(0, last)
        self._down(0, last)
        return self._cut()

    def remove(self, key: Key) -> None:
        """Removes the workload of a key, if it is there."""
        index = self._index.get(key)
        if index is None:
            return
        last = len(self._items) - 1
        if index != last:
            self._swap(index, last)
            if not self._down(index, last):
                self._up(index)
        self._cut()

    def _cut(self) -> WorkloadInfo:
        workload = self._items.pop()
        del self._index[workload.key]
        return workload

    def _swap(self, i: int, j: int) -> None:
        items = self._items
        items[i], items[j] = items[j], items[i]
        self._index[items[i].key], self._index[items[j].key] = i, j

    def _up(self, j: int) -> None:
        while j > 0:
            i = (j - 1) // 2
            if not self._less(self._items[j], self._items[i]):
                break
            self._swap(i, j)
            j = i

    def _down(self, start: int, end: int) -> bool:
        i = start
        while (child := 2 * i + 1) < end:
            right = child + 1
            if right < end and self._less(self._items[right], self._items[child]):
                child = right
            if not self._less(self._items[child], self._items[i]):
                break
            self._swap(i, child)
            i = child
        return i > start
