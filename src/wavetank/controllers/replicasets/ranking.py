"""The order in which surplus pods of a ReplicaSet are deleted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cmp_to_key
from heapq import nsmallest

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import SECOND, Nanoseconds

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_ReadySince = Callable[[Pod], Nanoseconds | None]


def pods_to_delete(
    pods: Iterable[Pod], related: Iterable[Pod], number: int, now: Nanoseconds, ready_since: _ReadySince
) -> list[Pod]:
    """Returns the pods to delete, as kube-controller-manager chooses them.

    `related` are all active pods of the same workload: pods on nodes with many of them are deleted first.
    """
    candidates = list(pods)
    if number >= len(candidates):
        return candidates
    crowds = Counter(pod.node_name for pod in related)
    ranked = [_Candidate(pod, crowds[pod.node_name], now, ready_since(pod)) for pod in candidates]
    return [candidate.pod for candidate in nsmallest(number, ranked, key=cmp_to_key(_compare))]


class _Candidate:
    __slots__ = ("created", "now", "pod", "rank", "ready")

    def __init__(self, pod: Pod, crowd: int, now: Nanoseconds, ready: Nanoseconds | None) -> None:
        self.pod = pod
        self.now = now
        self.created = pod.created // SECOND * SECOND  # as the API shows it
        self.ready = None if ready is None else ready // SECOND * SECOND
        self.rank = (bool(pod.node_name), _PHASES.get(pod.phase, 0), ready is not None, _cost(pod), -crowd)


def _compare(one: _Candidate, other: _Candidate) -> int:
    if one.rank != other.rank:
        return -1 if one.rank < other.rank else 1
    if one.ready is not None and other.ready is not None and one.ready != other.ready:
        return _younger(one, other, one.ready, other.ready)
    if one.pod.restarts != other.pod.restarts:
        return other.pod.restarts - one.pod.restarts
    if one.created != other.created:
        return _younger(one, other, one.created, other.created)
    return 0


def _younger(one: _Candidate, other: _Candidate, of_one: Nanoseconds, of_other: Nanoseconds) -> int:
    """Compares ages on a logarithmic scale; ties are broken by uid."""
    difference = _magnitude(one.now - of_one) - _magnitude(other.now - of_other)
    return difference or (-1 if one.pod.uid < other.pod.uid else 1)


def _magnitude(age: Nanoseconds) -> int:
    return int(math.log2(age)) if age > 0 else -1


def _cost(pod: Pod) -> int:
    try:
        return int(pod.annotations.get(DELETION_COST, "0"))
    except ValueError:
        return 0
