from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from wavetank.controllers.kueue.objects.workloads import PodSet

T = TypeVar("T")


def reduce_counts(pod_sets: Sequence[PodSet], attempt: Callable[[list[int]], T | None]) -> T | None:
    """Finds the largest numbers of pods, down to the least ones, for which `attempt` succeeds, by bisection."""
    deltas = [each.count - (each.count if each.min_count is None else each.min_count) for each in pod_sets]
    total = sum(deltas)
    if not total:
        return None
    good: dict[int, T] = {}
    low, high = 0, total + 1
    while low < high:
        middle = (low + high) // 2
        counts = [each.count - delta * middle // total for each, delta in zip(pod_sets, deltas, strict=True)]
        found = attempt(counts)
        if found is None:
            low = middle + 1
        else:
            good[middle] = found
            high = middle
    return good.get(low)
