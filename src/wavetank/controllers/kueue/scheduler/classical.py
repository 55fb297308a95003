from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wavetank.controllers.kueue.objects.clusterqueues import NEVER
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode, CohortNode
from wavetank.controllers.kueue.scheduler.preemption import (
    IN_QUEUE,
    RECLAIM,
    RECLAIM_WHILE_BORROWING,
    Need,
    Target,
    candidate_order,
    fits,
    give_back,
    restore,
    satisfies,
)


class _Candidate(NamedTuple):
    """A workload that may be preempted; `without_borrowing` only if the preemptor's queue does not borrow then."""

    workload: WorkloadInfo
    queue: ClusterQueueNode
    reason: str
    without_borrowing: bool
    ancestor: CohortNode | None  # the lowest one that it shares with the preemptor


class ClassicalPreemptor:
    """Preemption within a queue and within its cohort, by priority and by whose quota is nearer."""

    def find_targets(self, workload: WorkloadInfo, queue: ClusterQueueNode, need: Need) -> list[Target]:
        """Returns the workloads to preempt."""
        return _Search(workload, queue, need).run()


class _Search:
    def __init__(self, workload: WorkloadInfo, queue: ClusterQueueNode, need: Need) -> None:
        self._workload = workload
        self._queue = queue
        self._need = need
        self._scarce = need.scarce
        self._policy = queue.spec.preemption

    def run(self) -> list[Target]:
        own = list(self._candidates_of(self._queue, None, False)) if self._policy.within_queue != NEVER else []
        nearer, others = self._from_cohort()
        ordered = self._in_order(nearer, others, own)
        for borrowing in self._attempts(nearer, others):
            targets: list[Target] = []
            for each in ordered:
                if not self._is_valid(each, borrowing):
                    continue
                each.queue.take(each.workload)
                targets.append(Target(each.workload, each.reason, each.queue))
                if fits(self._queue, self._need, borrowing):
                    targets = give_back(self._queue, self._need, targets, borrowing)
                    restore(targets)
                    return targets
            restore(targets)
        return []

    def _attempts(self, nearer: list[_Candidate], others: list[_Candidate]) -> tuple[bool, ...]:
        """Returns whether to try with borrowing, in order."""
        forbidden = self._policy.forbids_borrowing
        if (not nearer and not others) or (forbidden and not self._is_under_nominal()):
            return (True,)
        return (False, True) if forbidden and not nearer else (True, False)

    def _is_under_nominal(self) -> bool:
        return all(self._queue.usage.get(fr, 0) < self._queue.nominal(fr) for fr in self._scarce)

    def _in_order(self, *groups: list[_Candidate]) -> list[_Candidate]:
        """Puts evicted workloads of all groups first."""
        for group in groups:
            group.sort(key=lambda each: candidate_order(each.workload, self._queue))
        evicted = [each for group in groups for each in group if each.workload.evicted]
        return evicted + [each for group in groups for each in group if not each.workload.evicted]

    def _is_valid(self, candidate: _Candidate, borrowing: bool) -> bool:
        """Tells whether a candidate's queue still holds more than its quota."""
        if candidate.queue is self._queue:
            return True
        if borrowing and candidate.without_borrowing:
            return False
        if candidate.queue.is_within_nominal(self._scarce):
            return False
        for node in candidate.queue.ancestors():
            if node is candidate.ancestor:
                break
            if node.is_within_nominal(self._scarce):
                return False
        return True

    def _from_cohort(self) -> tuple[list[_Candidate], list[_Candidate]]:
        """Returns the candidates of other queues: those that use quota nearer to this queue, and the others."""
        nearer: list[_Candidate] = []
        others: list[_Candidate] = []
        if self._queue.parent is None or self._policy.reclaim == NEVER:
            return nearer, others
        advantage, remaining = self._queue.fits_in_quota(self._need.requests)
        searched: CohortNode | None = None
        for cohort in self._queue.ancestors():
            (nearer if advantage else others).extend(self._in_subtree(cohort, cohort, searched, advantage))
            fitting, remaining = cohort.fits_in_quota(remaining)
            advantage = advantage or fitting
            searched = cohort
        return nearer, others

    def _in_subtree(
        self, cohort: CohortNode, ancestor: CohortNode, searched: CohortNode | None, advantage: bool
    ) -> Iterator[_Candidate]:
        for child in cohort.cohorts.values():
            if child is not searched and not child.is_within_nominal(self._scarce):
                yield from self._in_subtree(child, ancestor, searched, advantage)
        for queue in cohort.queues.values():
            if queue is not self._queue and queue.inactive is None and not queue.is_within_nominal(self._scarce):
                yield from self._candidates_of(queue, ancestor, advantage)

    def _candidates_of(
        self, queue: ClusterQueueNode, ancestor: CohortNode | None, advantage: bool
    ) -> Iterator[_Candidate]:
        own = queue is self._queue
        policy = self._policy.within_queue if own else self._policy.reclaim
        for workload in queue.workloads.values():
            if not workload.uses(self._scarce) or not satisfies(policy, self._workload, workload):
                continue
            if own:
                yield _Candidate(workload, queue, IN_QUEUE, False, ancestor)
            elif advantage:
                yield _Candidate(workload, queue, RECLAIM, False, ancestor)
            elif self._policy.forbids_borrowing or self._is_above_threshold(workload):
                yield _Candidate(workload, queue, RECLAIM, True, ancestor)
            else:
                yield _Candidate(workload, queue, RECLAIM_WHILE_BORROWING, False, ancestor)

    def _is_above_threshold(self, candidate: WorkloadInfo) -> bool:
        if candidate.priority >= self._workload.priority:
            return True
        return self._policy.threshold is not None and candidate.priority > self._policy.threshold
