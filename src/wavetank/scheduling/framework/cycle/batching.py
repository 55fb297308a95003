from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.framework.cycle.signature import Sign

MAX_AGE = SECOND // 2


class Ranking:
    """Scored nodes, best first; equal ones in the order in which Go's container/heap pops them."""

    def __init__(self, nodes: Sequence[str], totals: Sequence[float], without: str) -> None:
        self._heap = list(zip(totals, nodes, strict=True))
        self._build()
        if self._heap and self._heap[0][1] == without:
            self.pop()
        else:
            self._heap = [entry for entry in self._heap if entry[1] != without]
            self._build()

    def __len__(self) -> int:
        return len(self._heap)

    def pop(self) -> str:
        """Takes out the best node and returns it."""
        heap, last = self._heap, len(self._heap) - 1
        heap[0], heap[last] = heap[last], heap[0]
        self._sink(0, last)
        return heap.pop()[1]

    def _build(self) -> None:
        for place in reversed(range(len(self._heap) // 2)):
            self._sink(place, len(self._heap))

    def _sink(self, place: int, end: int) -> None:
        heap = self._heap
        while (child := 2 * place + 1) < end:
            if child + 1 < end and heap[child + 1][0] > heap[child][0]:
                child += 1
            if heap[child][0] <= heap[place][0]:
                return
            heap[place], heap[child] = heap[child], heap[place]
            place = child


class Batch:
    """OpportunisticBatching: a pod equal to the one before takes the next node of its ranking, and no other is tried.

    The condition is that it is the next pod, at most half a second after the ranking was made, and does not fit on
    the node that the one before has taken: otherwise that node would have to be scored again.
    """

    def __init__(self, sign: Sign) -> None:
        self._sign = sign
        self._number = 0
        self._now: Nanoseconds = 0
        self._signature: Hashable = None
        self._last = (0, "")  # the number of the last cycle that found a node, and the node
        self._list: tuple[Hashable, Nanoseconds, Ranking] | None = None

    def begin(self, number: int, now: Nanoseconds) -> None:
        """Sets the number of the next cycle, counted over all profiles, and its time."""
        self._number, self._now = number, now

    def hint(self, pod: Pod, is_refused_on: Callable[[str], bool]) -> str:
        """Returns the node to try first, or an empty string."""
        self._signature = self._sign(pod)
        if self._list is None or self._signature is None:
            return ""
        signature, made, ranking = self._list
        number, node = self._last
        is_next = number + 1 == self._number and signature == self._signature
        if not len(ranking) or not is_next or self._now > made + MAX_AGE or not is_refused_on(node):
            return ""
        return ranking.pop()

    def keep(self, hint: str, chosen: str, nodes: Sequence[str], totals: Sequence[float]) -> None:
        """Keeps the result of a cycle; `totals` is empty if nothing was scored."""
        self._last = self._number, chosen
        if hint == chosen:
            return
        self._list = None
        if self._signature is not None and totals:
            self._list = self._signature, self._now, Ranking(nodes, totals, without=chosen)
