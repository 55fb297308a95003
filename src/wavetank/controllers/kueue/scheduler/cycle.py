from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.clusterqueues import ANY, LOWER_OR_NEWER
from wavetank.controllers.kueue.objects.conditions import WorkloadStatus
from wavetank.controllers.kueue.objects.flavors import Flavors
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.pending.queue import (
    FAILED_AFTER_NOMINATION,
    GENERIC,
    NAMESPACE_MISMATCH,
    PENDING_PREEMPTION,
)
from wavetank.controllers.kueue.pending.queues import Queues
from wavetank.controllers.kueue.quota.amounts import Quantities
from wavetank.controllers.kueue.quota.hierarchy import Hierarchy
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode
from wavetank.controllers.kueue.scheduler.assigner import FlavorAssigner
from wavetank.controllers.kueue.scheduler.assignment import FIT, NO_FIT, PREEMPT, Assignment
from wavetank.controllers.kueue.scheduler.classical import ClassicalPreemptor
from wavetank.controllers.kueue.scheduler.entries import (
    ASSUMED,
    NOMINATED,
    NOT_NOMINATED,
    SKIPPED,
    Entry,
    classical_order,
    fair_order,
)
from wavetank.controllers.kueue.scheduler.fairpreemption import FairPreemptor
from wavetank.controllers.kueue.scheduler.placer import Placer
from wavetank.controllers.kueue.scheduler.preemption import Need, Preemptor, Target
from wavetank.controllers.kueue.scheduler.reduction import reduce_counts
from wavetank.controllers.kueue.settings import Settings
from wavetank.controllers.kueue.topology.requests import DomainUsage
from wavetank.controllers.kueue.topology.topologies import Topologies

_OVERLAPPING = "Workload has overlapping preemption targets with another workload"
_NO_LONGER_FITS = "Workload no longer fits after processing another workload"
_FAILURES = 10_000  # failed attempts that are remembered


class AdmissionWriter(Protocol):
    """Writes what a cycle has decided to the Workloads."""

    def admit(self, workload: WorkloadInfo, queue: ClusterQueueNode, admission: dict[str, Any]) -> WorkloadInfo | None:
        """Reserves quota; returns the workload with it, None if it does not exist any more."""

    def preempt(self, target: Target, preemptor: WorkloadInfo, queue: ClusterQueueNode) -> None:
        """Evicts a workload."""

    def report_pending(self, workload: WorkloadInfo, message: Callable[[], str]) -> bool:
        """Reports why a workload is pending; returns whether that is news."""


class _Found(NamedTuple):
    """The flavors of a workload, and what it would preempt for them."""

    assignment: Assignment
    targets: list[Target]

    @property
    def succeeds(self) -> bool:
        """Tells whether the workload fits, at least after preempting others."""
        return self.assignment.mode == FIT or bool(self.targets)


class _Claim(NamedTuple):
    """Quota and domains that an entry keeps from others in a cycle."""

    usage: Quantities
    domains: tuple[DomainUsage, ...] = ()


_NOTHING = _Claim({})


class Cycle:
    """One scheduling cycle: tries the head of each queue; at most the heads are admitted.

    A workload like one that has just failed fails without a new search as long as nothing in its cohort has changed.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        queues: Queues,
        flavors: Flavors,
        topologies: Topologies,
        writer: AdmissionWriter,
        settings: Settings | None = None,
    ) -> None:
        self._hierarchy = hierarchy
        self._queues = queues
        self._flavors = flavors
        self._topologies = topologies
        self._writer = writer
        self.configure(settings or Settings())
        self._preempted = False  # whether this cycle has begun to preempt
        self.requests = 0  # to the API for which the last cycle has waited, one after the other
        self.stuck: object = None  # what was tried in vain; None if the cycle has changed anything

    def configure(self, settings: Settings) -> None:
        """Applies a configuration from the next cycle on."""
        self._fair = settings.fair_sharing
        self._preemptor: Preemptor = FairPreemptor(settings.strategies) if self._fair else ClassicalPreemptor()
        self._failures: dict[object, tuple[object, _Found]] = {}

    def run(self) -> bool:
        """Runs a cycle; returns whether a workload was admitted."""
        self._preempted = False
        heads = self._queues.heads()
        entries: list[Entry] = []
        rejected: list[Entry] = []
        for name, workload in heads:
            if not self._hierarchy.holds(workload.key):
                entry = self._nominate(name, workload)
                (rejected if entry.assignment is None else entries).append(entry)
        admitted = self._admit(entries)
        reported = [self._give_back(entry) for entry in (*entries, *rejected) if entry.status != ASSUMED]
        quiet = not (admitted or self._preempted or any(reported))
        self.requests = sum(reported) + self._preempted
        self.stuck = tuple((name, each.key, _tried(each)) for name, each in heads) if quiet else None
        return bool(admitted)

    # flavors

    def _nominate(self, name: str, workload: WorkloadInfo) -> Entry:
        queue = self._hierarchy.queues.get(name)
        entry = Entry(workload, queue)
        status = WorkloadStatus(workload.resource, 0)
        if status.has_check("Retry") or status.has_check("Rejected"):
            entry.note = "The workload has failed admission checks"
        elif queue is None:
            entry.note = f"ClusterQueue {name} not found"
        elif not self._queues.may_come(workload):
            entry.note = "Workload namespace doesn't match ClusterQueue selector"
            entry.requeue = NAMESPACE_MISMATCH
        else:
            found = self._find(workload, queue)
            entry.assignment, entry.targets = found
            workload.last = found.assignment.last
        return entry

    def _find(self, workload: WorkloadInfo, queue: ClusterQueueNode) -> _Found:
        """Returns the flavors of a workload and what it would preempt."""
        limit = self._topologies.is_used and workload.topology_limit
        key = (queue.name, limit, *_shape(workload, queue))
        state = (queue.version, self._flavors.version, self._topologies.version)
        known = self._failures.get(key)
        if known is not None and known[0] == state:
            return known[1]
        found = self._search(workload, queue)
        if not found.succeeds:
            if len(self._failures) >= _FAILURES:
                self._failures.clear()
            self._failures[key] = (state, found)
        return found

    def _search(self, workload: WorkloadInfo, queue: ClusterQueueNode) -> _Found:
        """Tries the whole workload, then fewer of its pods if it may shrink."""
        placer = Placer(workload, queue, self._topologies)
        assigner = FlavorAssigner(workload, queue, self._flavors, placer, self._preemptor, self._fair)

        def attempt(counts: Sequence[int] = ()) -> _Found:
            assignment = assigner.assign(counts)
            targets: list[Target] = []
            if assignment.mode == PREEMPT:
                need = Need(assignment.need_preemption, assignment.usage, partial(placer.is_placed, assignment))
                targets = self._preemptor.find_targets(workload, queue, need)
            return _Found(assignment, targets)

        def reduced(counts: list[int]) -> _Found | None:
            found = attempt(counts)
            return found if found.succeeds else None

        found = attempt()
        if not found.succeeds and workload.can_shrink:
            found = reduce_counts(workload.pod_sets, reduced) or found
        if found.assignment.mode == PREEMPT:
            placer.reserve(found.assignment, found.targets)
        return found

    # admission

    def _admit(self, entries: list[Entry]) -> list[WorkloadInfo]:
        """Admits entries in order; what they would hold counts until the end of the cycle."""
        held: list[tuple[ClusterQueueNode, _Claim]] = []
        admitted: list[WorkloadInfo] = []
        preempted: dict[Key, Target] = {}
        for entry in fair_order(entries) if self._fair else classical_order(entries):
            queue, assignment = entry.queue, entry.assignment
            assert queue is not None
            assert assignment is not None
            claim = self._claim(entry, queue, assignment, preempted)
            queue.add_all(claim.usage)
            self._topologies.add(claim.domains)
            held.append((queue, claim))
            if entry.status == NOMINATED:
                self._decide(entry, queue, assignment, admitted)
        for queue, claim in held:
            queue.remove_all(claim.usage)
            self._topologies.remove(claim.domains)
        for workload in admitted:
            self._hierarchy.put(workload)
        return admitted

    def _claim(
        self, entry: Entry, queue: ClusterQueueNode, assignment: Assignment, preempted: dict[Key, Target]
    ) -> _Claim:
        """Returns what an entry keeps from others in this cycle; nominates it if it can be admitted or preempt."""
        if assignment.mode == NO_FIT:
            return _NOTHING
        if assignment.mode == PREEMPT and not entry.targets:
            certain = queue.spec.preemption.reclaim == ANY  # what others borrow now can be had back later
            return _NOTHING if certain else _Claim(_reservation(assignment, queue), assignment.domains)
        if any(each.workload.key in preempted for each in entry.targets):
            return self._skip(entry, _OVERLAPPING)
        claim = _Claim(assignment.usage, assignment.domains)
        if not self._fits_without((*preempted.values(), *entry.targets), queue, claim):
            return self._skip(entry, _NO_LONGER_FITS)
        preempted.update({each.workload.key: each for each in entry.targets})
        entry.status = NOMINATED
        return claim

    def _skip(self, entry: Entry, note: str) -> _Claim:
        entry.status, entry.note = SKIPPED, note
        entry.workload.last = None
        return _NOTHING

    def _fits_without(self, targets: Sequence[Target], queue: ClusterQueueNode, claim: _Claim) -> bool:
        for each in targets:
            each.queue.release(each.workload)
        fitting = queue.fits(claim.usage) and self._topologies.fits(claim.domains)
        for each in targets:
            each.queue.occupy(each.workload)
        return fitting

    def _decide(
        self, entry: Entry, queue: ClusterQueueNode, assignment: Assignment, admitted: list[WorkloadInfo]
    ) -> None:
        """Admits an entry, or begins to preempt for it."""
        if assignment.mode == PREEMPT:
            entry.status, entry.requeue = NOT_NOMINATED, PENDING_PREEMPTION
            entry.preempting = len(entry.targets)
            entry.workload.last = None
            for target in entry.targets:
                if not target.workload.evicted:
                    self._preempted = True
                    self._writer.preempt(target, entry.workload, queue)
            return
        admission = {
            "clusterQueue": queue.name,
            "podSetAssignments": [each.render() for each in assignment.pod_sets],
        }
        workload = self._writer.admit(entry.workload, queue, admission)
        entry.status = ASSUMED
        if workload is not None:
            admitted.append(workload)

    def _give_back(self, entry: Entry) -> bool:
        """Returns an entry to its queue; returns whether the reason is another than before."""
        reason = entry.requeue
        if entry.status != NOT_NOMINATED and reason == GENERIC:
            reason = FAILED_AFTER_NOMINATION
        self._queues.requeue(entry.workload, reason)
        if entry.status == NOMINATED or entry.reasons == entry.workload.said:
            return False
        entry.workload.said = entry.reasons
        return self._writer.report_pending(entry.workload, entry.message)


def _tried(workload: WorkloadInfo) -> object:
    """Returns what the next attempt at a workload depends on besides its requests."""
    return None if workload.last is None else tuple(tuple(sorted(each.items())) for each in workload.last.tried)


def _shape(workload: WorkloadInfo, queue: ClusterQueueNode) -> tuple[object, ...]:
    """Returns all that the outcome of an attempt depends on, apart from the state of the cohort."""
    by_time = workload.order_s if queue.spec.preemption.within_queue == LOWER_OR_NEWER else None
    pod_sets = tuple((each.spec, each.count, each.min_count) for each in workload.pod_sets)
    return pod_sets, workload.topologies, workload.priority, by_time, _tried(workload)


def _reservation(assignment: Assignment, queue: ClusterQueueNode) -> Quantities:
    """Returns what is kept for a workload that waits for others to end: up to its quota, or its borrowing limit."""
    kept: Quantities = {}
    for fr, amount in assignment.usage.items():
        used, quota = queue.usage.get(fr, 0), queue.quotas.get(fr)
        if not assignment.borrowing:
            kept[fr] = max(0, min(amount, queue.nominal(fr) - used))
        elif quota is None or quota.borrowing_limit is None:
            kept[fr] = amount
        else:
            kept[fr] = min(amount, quota.nominal + quota.borrowing_limit - used)
    return kept
