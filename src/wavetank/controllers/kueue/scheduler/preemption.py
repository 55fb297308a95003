from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from wavetank.controllers.kueue.objects.clusterqueues import ANY, LOWER, LOWER_OR_NEWER
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.quota.amounts import FlavorResource, Quantities
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode

IN_QUEUE, RECLAIM, FAIR, RECLAIM_WHILE_BORROWING = (
    "InClusterQueue",
    "InCohortReclamation",
    "InCohortFairSharing",
    "InCohortReclaimWhileBorrowing",
)


class Target(NamedTuple):
    """A workload to preempt, the reason, and its queue."""

    workload: WorkloadInfo
    reason: str
    queue: ClusterQueueNode


def _anywhere() -> bool:
    return True


class Need(NamedTuple):
    """What a workload lacks: `requests` have to fit, and candidates must hold some of what is `scarce`.

    `is_placed` tells whether there are domains for its pods, if they ask for a topology.
    """

    scarce: set[FlavorResource]
    requests: Quantities
    is_placed: Callable[[], bool] = _anywhere


class Preemptor(Protocol):
    """Finds the workloads to preempt."""

    def find_targets(self, workload: WorkloadInfo, queue: ClusterQueueNode, need: Need) -> list[Target]:
        """Returns workloads without which `workload` has what it needs; none if there are no such workloads."""


def satisfies(policy: str, preemptor: WorkloadInfo, candidate: WorkloadInfo) -> bool:
    """Tells whether a policy lets a workload preempt another."""
    if policy == ANY:
        return True
    if policy not in (LOWER, LOWER_OR_NEWER):
        return False
    if preemptor.priority > candidate.priority:
        return True
    newer = preemptor.priority == candidate.priority and preemptor.order_s < candidate.order_s
    return policy == LOWER_OR_NEWER and newer


def candidate_order(workload: WorkloadInfo, queue: ClusterQueueNode) -> tuple[bool, bool, int, float, str]:
    """Sorts candidates: evicted ones first, then those of other queues, of low priority, admitted last."""
    reserved = float("inf") if workload.reserved_s is None else workload.reserved_s
    own = workload.cluster_queue == queue.name
    return not workload.evicted, own, workload.priority, -reserved, workload.resource.uid


def fits(queue: ClusterQueueNode, need: Need, borrowing: bool) -> bool:
    """Tells whether a queue has what is needed, without borrowing if that is not allowed."""
    for fr, amount in need.requests.items():
        if not borrowing and queue.borrows_with(fr, amount):
            return False
        if amount > queue.free(fr):
            return False
    return need.is_placed()


def give_back(queue: ClusterQueueNode, need: Need, targets: list[Target], borrowing: bool) -> list[Target]:
    """Drops targets without which all fits all the same, beginning with the last but one."""
    for i in range(len(targets) - 2, -1, -1):
        targets[i].queue.put(targets[i].workload)
        if fits(queue, need, borrowing):
            targets[i] = targets[-1]
            targets.pop()
        else:
            targets[i].queue.take(targets[i].workload)
    return targets


def restore(targets: Sequence[Target]) -> None:
    """Puts workloads back that were taken away to see what fits without them."""
    for each in targets:
        each.queue.put(each.workload)
