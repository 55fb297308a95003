"""The heads of the queues in one cycle, and the order in which they are admitted."""

from __future__ import annotations

from collections.abc import Iterator

from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.pending.queue import GENERIC
from wavetank.controllers.kueue.quota.fairshare import Share, share_of
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode, CohortNode
from wavetank.controllers.kueue.scheduler.assignment import Assignment
from wavetank.controllers.kueue.scheduler.preemption import Target

NOT_NOMINATED, NOMINATED, SKIPPED, ASSUMED = "", "nominated", "skipped", "assumed"


class Entry:
    """A workload at the head of a queue, with what it would need."""

    __slots__ = ("assignment", "note", "preempting", "queue", "requeue", "status", "targets", "workload")

    def __init__(self, workload: WorkloadInfo, queue: ClusterQueueNode | None) -> None:
        self.workload = workload
        self.queue = queue
        self.assignment: Assignment | None = None
        self.targets: list[Target] = []
        self.status = NOT_NOMINATED
        self.requeue = GENERIC
        self.note = ""  # what stands in place of the assignment's reasons
        self.preempting = 0

    @property
    def reasons(self) -> object:
        """Returns what is reported, to be compared with the last report."""
        if self.note or self.assignment is None:
            return self.note
        return self.assignment.reasons, self.preempting

    def message(self) -> str:
        """Returns why the workload is pending, in Kueue's words."""
        if self.note or self.assignment is None:
            return self.note
        pending = f". Pending the preemption of {self.preempting} workload(s)" if self.preempting else ""
        return self.assignment.message() + pending


def classical_order(entries: list[Entry]) -> Iterator[Entry]:
    """Yields entries that do not borrow first, then by priority, then by time."""
    yield from sorted(entries, key=_rank)


def _rank(entry: Entry) -> tuple[int, int, int]:
    assert entry.assignment is not None
    return entry.assignment.borrowing, -entry.workload.priority, entry.workload.order_s


def fair_order(entries: list[Entry]) -> Iterator[Entry]:
    """Yields the entry whose queue would have the smallest share with it, by a tournament in its cohort."""
    left = {entry.queue: entry for entry in entries if entry.queue is not None}
    while left:
        queue = next(iter(left))
        winner: Entry | None = left[queue]
        if queue.parent is not None:
            root = queue.parent.root
            winner = _tournament(root, _shares(root, left), left)
        assert winner is not None
        assert winner.queue is not None
        del left[winner.queue]
        yield winner


_Shares = dict[tuple[CohortNode, tuple[str, str]], Share]


def _shares(root: CohortNode, left: dict[ClusterQueueNode, Entry]) -> _Shares:
    """Returns by cohort and workload the share of the child that the workload comes from, the workload included."""
    shares: _Shares = {}
    for queue in root.all_queues():
        entry = left.get(queue)
        if entry is None or entry.assignment is None:
            continue
        queue.add_all(entry.assignment.usage)
        share = share_of(queue)
        for cohort in queue.ancestors():
            shares[cohort, entry.workload.key] = share
            share = share_of(cohort)
        queue.remove_all(entry.assignment.usage)
    return shares


def _tournament(cohort: CohortNode, shares: _Shares, left: dict[ClusterQueueNode, Entry]) -> Entry | None:
    candidates = [found for each in cohort.cohorts.values() if (found := _tournament(each, shares, left)) is not None]
    candidates += [left[queue] for queue in cohort.queues.values() if queue in left]
    best: Entry | None = None
    for entry in candidates:
        if best is None or _beats(entry, best, cohort, shares):
            best = entry
    return best


def _beats(one: Entry, other: Entry, cohort: CohortNode, shares: _Shares) -> bool:
    order = shares[cohort, one.workload.key].compare(shares[cohort, other.workload.key])
    if order:
        return order < 0
    if one.workload.priority != other.workload.priority:
        return one.workload.priority > other.workload.priority
    return one.workload.order_s < other.workload.order_s
