from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from wavetank.controllers.kueue.objects.clusterqueues import NEVER
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.quota.amounts import FlavorResource
from wavetank.controllers.kueue.quota.fairshare import BELOW_ALL, Share, share_of
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode, CohortNode, QuotaNode
from wavetank.controllers.kueue.scheduler.preemption import (
    FAIR,
    IN_QUEUE,
    Need,
    Target,
    candidate_order,
    fits,
    give_back,
    restore,
    satisfies,
)

# Strategies by name: whether a workload may be preempted, by the preemptor's share with its workload, and the shares of
# the candidate's queue before and after it.
FINAL_SHARE, INITIAL_SHARE = "LessThanOrEqualToFinalShare", "LessThanInitialShare"
STRATEGIES: dict[str, Callable[[Share, Share, Share], bool]] = {
    FINAL_SHARE: lambda preemptor, before, after: preemptor.compare(after) <= 0,
    INITIAL_SHARE: lambda preemptor, before, after: preemptor.compare(before) < 0,
}
DEFAULT_STRATEGIES = (FINAL_SHARE, INITIAL_SHARE)


class FairPreemptor:
    """Preemption by fair shares: from the queues that borrow most, as far as the strategies allow it."""

    def __init__(self, strategies: Sequence[str] = DEFAULT_STRATEGIES) -> None:
        self._strategies = strategies

    def find_targets(self, workload: WorkloadInfo, queue: ClusterQueueNode, need: Need) -> list[Target]:
        """Returns the workloads to preempt."""
        candidates = _candidates(workload, queue, need.scarce)
        if not candidates:
            return []
        candidates.sort(key=lambda each: candidate_order(each[0], queue))
        search = _Search(queue, need)
        queue.add_all(need.requests)  # shares count the new workload
        found = search.first(candidates, STRATEGIES[self._strategies[0]])
        if not found and len(self._strategies) > 1:
            found = search.second()
        queue.remove_all(need.requests)
        if not found:
            restore(search.targets)
            return []
        targets = give_back(queue, need, search.targets, borrowing=True)
        restore(targets)
        return targets


_Candidate = tuple[WorkloadInfo, ClusterQueueNode]


def _candidates(workload: WorkloadInfo, queue: ClusterQueueNode, scarce: set[FlavorResource]) -> list[_Candidate]:
    policy = queue.spec.preemption
    found: list[_Candidate] = []
    if policy.within_queue != NEVER:
        found += _by_policy(policy.within_queue, workload, queue, scarce)
    if queue.parent is not None and policy.reclaim != NEVER:
        for other in queue.parent.root.all_queues():
            if other is queue or other.inactive is not None or not any(other.borrows_with(fr, 0) for fr in scarce):
                continue
            found += _by_policy(policy.reclaim, workload, other, scarce)
    return found


def _by_policy(
    policy: str, workload: WorkloadInfo, queue: ClusterQueueNode, scarce: set[FlavorResource]
) -> Iterable[_Candidate]:
    for each in queue.workloads.values():
        if satisfies(policy, workload, each) and each.uses(scarce):
            yield each, queue


class _Search:
    """Takes workloads away until the requests fit; `targets` are those that were taken."""

    def __init__(self, queue: ClusterQueueNode, need: Need) -> None:
        self._queue = queue
        self._need = need
        self.targets: list[Target] = []
        self._spared: list[_Candidate] = []

    def first(self, candidates: Sequence[_Candidate], allows: Callable[[Share, Share, Share], bool]) -> bool:
        """Tries the first strategy; returns whether the requests fit."""
        order = _QueueOrder(self._queue, candidates)
        for queue in order.queues():
            if queue is self._queue:
                if self._take(order.pop(queue), queue, IN_QUEUE):
                    return True
                continue
            mine, its = order.rivals(queue)
            preemptor, before = share_of(mine), share_of(its)
            while order.has(queue):
                workload = order.pop(queue)
                queue.remove_all(workload.usage)
                after = share_of(its)
                queue.add_all(workload.usage)
                if allows(preemptor, before, after):
                    if self._take(workload, queue, FAIR):
                        return True
                    break  # shares have changed: perhaps another queue is next
                self._spared.append((workload, queue))
        return False

    def second(self) -> bool:
        """Tries the second strategy with the workloads that the first one has spared."""
        order = _QueueOrder(self._queue, self._spared)
        for queue in order.queues():
            mine, its = order.rivals(queue)
            if share_of(mine).compare(share_of(its)) < 0 and self._take(order.pop(queue), queue, FAIR):
                return True
            order.drop(queue)
        return False

    def _take(self, workload: WorkloadInfo, queue: ClusterQueueNode, reason: str) -> bool:
        queue.take(workload)
        self.targets.append(Target(workload, reason, queue))
        self._queue.remove_all(self._need.requests)
        fitting = fits(self._queue, self._need, borrowing=True)
        self._queue.add_all(self._need.requests)
        return fitting


class _QueueOrder:
    """The queues to preempt from, from the root down: the child with the highest share that has candidates."""

    def __init__(self, queue: ClusterQueueNode, candidates: Sequence[_Candidate]) -> None:
        self._queue = queue
        self._above = list(queue.ancestors())
        self._left: dict[str, list[WorkloadInfo]] = {}
        for workload, owner in candidates:
            self._left.setdefault(owner.name, []).append(workload)
        self._pruned: set[QuotaNode] = set()

    def queues(self) -> Iterator[ClusterQueueNode]:
        """Yields the next queue, until none has candidates; its first one must be popped, or the queue dropped."""
        if self._queue.parent is None:
            while self.has(self._queue):
                yield self._queue
            return
        root = self._queue.parent.root
        while root not in self._pruned:
            queue = self._next(root)
            if queue is not None:
                yield queue

    def has(self, queue: ClusterQueueNode) -> bool:
        """Tells whether a queue has candidates left."""
        return bool(self._left.get(queue.name))

    def pop(self, queue: ClusterQueueNode) -> WorkloadInfo:
        """Returns the next candidate of a queue."""
        return self._left[queue.name].pop(0)

    def drop(self, queue: ClusterQueueNode) -> None:
        """Leaves a queue out from now on."""
        self._pruned.add(queue)

    def rivals(self, queue: ClusterQueueNode) -> tuple[QuotaNode, QuotaNode]:
        """Returns the nodes below the lowest common cohort: on the preemptor's side, and on the queue's."""
        shared = next(each for each in queue.ancestors() if each in self._above)
        return _below(self._queue, shared), _below(queue, shared)

    def _next(self, cohort: CohortNode) -> ClusterQueueNode | None:
        queue, share = self._highest_queue(cohort)
        child, its_share = self._highest_cohort(cohort)
        if queue is None and child is None:
            self._pruned.add(cohort)
            return None
        if child is not None and its_share.compare(share) >= 0:
            return self._next(child)
        return queue

    def _highest_queue(self, cohort: CohortNode) -> tuple[ClusterQueueNode | None, Share]:
        best: ClusterQueueNode | None = None
        highest = BELOW_ALL
        for queue in cohort.queues.values():
            if queue in self._pruned:
                continue
            share = share_of(queue)
            if not self.has(queue) or (share.ratio == 0 and queue is not self._queue):
                self._pruned.add(queue)
            elif best is not None and share.compare(highest) == 0:
                one, other = (candidate_order(self._left[each.name][0], self._queue) for each in (queue, best))
                best = queue if one < other else best
            elif share.compare(highest) > 0:
                best, highest = queue, share
        return best, highest

    def _highest_cohort(self, cohort: CohortNode) -> tuple[CohortNode | None, Share]:
        best: CohortNode | None = None
        highest = BELOW_ALL
        for child in cohort.cohorts.values():
            if child in self._pruned:
                continue
            share = share_of(child)
            if share.ratio == 0 and child not in self._above:
                self._pruned.add(child)
            elif share.compare(highest) >= 0:
                best, highest = child, share
        return best, highest


def _below(queue: ClusterQueueNode, shared: CohortNode) -> QuotaNode:
    node: QuotaNode = queue
    while node.parent is not shared:
        assert node.parent is not None
        node = node.parent
    return node
