from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wavetank.cluster.fields.resources import PODS
from wavetank.controllers.kueue.objects.clusterqueues import BORROWING_FIRST, NEVER, TRY_NEXT, ResourceGroup
from wavetank.controllers.kueue.objects.flavors import Flavors
from wavetank.controllers.kueue.objects.workloads import PodSet, WorkloadInfo
from wavetank.controllers.kueue.quota.amounts import FlavorResource, Quantities
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode, lowest_fitting
from wavetank.controllers.kueue.scheduler.assignment import (
    FIT,
    NO_FIT,
    NOT_ENOUGH,
    PREEMPT,
    TOO_MUCH,
    Assignment,
    FlavorAssignment,
    PodSetAssignment,
    Reason,
)
from wavetank.controllers.kueue.scheduler.placer import Placer
from wavetank.controllers.kueue.scheduler.preemption import Need, Preemptor

# What a flavor would need, the better the higher: nothing helps, no workload may be preempted, workloads of the own
# queue, workloads of others, nothing.
_NO_FIT, _NO_CANDIDATES, _PREEMPT, _RECLAIM, _FIT = range(5)
_FAR = 1 << 30


class _Mode(NamedTuple):
    need: int
    borrow: int


class FlavorAssigner:
    """Assigns a flavor to each resource of each pod set of a workload, or finds out what would help."""

    def __init__(
        self,
        workload: WorkloadInfo,
        queue: ClusterQueueNode,
        flavors: Flavors,
        placer: Placer,
        preemptor: Preemptor,
        fair: bool,
    ) -> None:
        self._workload = workload
        self._queue = queue
        self._spec = queue.spec
        self._flavors = flavors
        self._placer = placer
        self._preemptor = preemptor
        self._fair = fair
        last = workload.last
        if last is not None and queue.generation > last.generation:
            workload.last = None  # something may fit now in flavors that were tried before

    def assign(self, counts: Sequence[int] = ()) -> Assignment:
        """Returns the flavors for the whole workload, or for fewer pods."""
        assignment = Assignment(self._queue.generation)
        covers_pods = self._spec.group_of(PODS) is not None
        for i, given in enumerate(self._workload.pod_sets):
            pod_set = given.scaled(counts[i]) if counts else given
            if covers_pods:
                requests = {**pod_set.requests, PODS: pod_set.count}
                pod_set = PodSet(pod_set.name, pod_set.spec, pod_set.count, pod_set.min_count, requests, {})
            found, reasons = self._for_pod_set(i, pod_set, assignment.usage)
            assignment.append(PodSetAssignment(pod_set, found, reasons))
            if reasons and not found:
                break
        self._placer.settle(assignment)
        return assignment

    def _for_pod_set(
        self, number: int, pod_set: PodSet, usage: Quantities
    ) -> tuple[dict[str, FlavorAssignment], list[Reason]]:
        found: dict[str, FlavorAssignment] = {}
        reasons: list[Reason] = []
        for name, amount in pod_set.requests.items():
            group = self._spec.group_of(name)
            if name in found or (amount == 0 and group is None):
                continue
            if group is None:
                return {}, [f"resource {name} unavailable in ClusterQueue"]
            some, why = self._for_group(number, pod_set, name, group, usage)
            if not some:
                return {}, why
            found.update(some)
            reasons += why
        return found, reasons

    def _for_group(
        self, number: int, pod_set: PodSet, resource: str, group: ResourceGroup, usage: Quantities
    ) -> tuple[dict[str, FlavorAssignment], list[Reason]]:
        """Returns the best flavor for all resources of a group."""
        requests = {name: amount for name, amount in pod_set.requests.items() if name in group.covered}
        last = self._workload.last
        best: dict[str, FlavorAssignment] = {}
        best_mode = _Mode(_NO_FIT, _FAR)
        reasons: list[Reason] = []
        attempted = -1
        for index in range(0 if last is None else last.next_for(number, resource), len(group.flavors)):
            attempted, name = index, group.flavors[index]
            refusal = self._refusal(number, pod_set, name, group)
            if refusal:
                reasons.append(refusal)
                continue
            mode, found, why = self._try(name, requests, usage)
            reasons += why
            if not self._should_try_next(mode):
                best, best_mode = found, mode
                break
            if self._is_preferred(mode, best_mode):
                best, best_mode = found, mode
        for each in best.values():
            each.tried = -1 if attempted == len(group.flavors) - 1 else attempted
        return best, [] if best_mode.need == _FIT else reasons

    def _refusal(self, number: int, pod_set: PodSet, flavor: str, group: ResourceGroup) -> str:
        """Returns why pods cannot use a flavor."""
        known = self._flavors.specs.get(flavor)
        refusal = "" if known is None else self._placer.refusal(number, known)
        return refusal or self._flavors.refusal(pod_set.spec, flavor, group)

    def _try(
        self, flavor: str, requests: Mapping[str, int], usage: Quantities
    ) -> tuple[_Mode, dict[str, FlavorAssignment], list[Reason]]:
        """Returns how well a flavor fits: as its worst resource does."""
        worst = _Mode(_FIT, 0)
        found: dict[str, FlavorAssignment] = {}
        reasons: list[Reason] = []
        for name, amount in requests.items():
            fr = (flavor, name)
            need, borrow, reason = self._judge(fr, usage.get(fr, 0), amount)
            if reason is not None:
                reasons.append(reason)
            mode = _Mode(need, borrow)
            if self._is_preferred(worst, mode):
                worst = mode
            if worst.need == _NO_FIT:
                break
            coarse = FIT if need == _FIT else NO_FIT if need == _NO_FIT else PREEMPT
            found[name] = FlavorAssignment(flavor, coarse, borrow)
        return worst, found, reasons

    def _judge(self, fr: FlavorResource, assumed: int, amount: int) -> tuple[int, int, Reason | None]:
        """Returns what one resource of a flavor would need, how far it borrows, and the reason against it."""
        queue, wanted = self._queue, assumed + amount
        free, most = queue.free(fr), queue.potential(fr)
        if wanted > most:
            return _NO_FIT, 0, (TOO_MUCH, fr[1], fr[0], (assumed, amount, most))
        borrow, may_reclaim = lowest_fitting(queue, fr, wanted)
        if wanted <= free:
            return _FIT, borrow, None
        reason: Reason = (NOT_ENOUGH, fr[1], fr[0], (wanted - free,))
        if wanted <= queue.nominal(fr) or may_reclaim or self._may_preempt_while_borrowing:
            return (*self._simulate(fr, wanted), reason)
        return _NO_FIT, borrow, reason

    def _simulate(self, fr: FlavorResource, wanted: int) -> tuple[int, int]:
        """Returns which workloads would have to be preempted, and how far the queue would borrow then."""
        queue = self._queue
        targets = self._preemptor.find_targets(self._workload, queue, Need({fr}, {fr: wanted}))
        if not targets:
            return _NO_CANDIDATES, lowest_fitting(queue, fr, wanted)[0]
        for each in targets:
            each.queue.release(each.workload)
        borrow = lowest_fitting(queue, fr, wanted)[0]
        for each in targets:
            each.queue.occupy(each.workload)
        own = any(each.queue is queue for each in targets)
        return (_PREEMPT if own else _RECLAIM), borrow

    @property
    def _may_preempt_while_borrowing(self) -> bool:
        policy = self._spec.preemption
        return not policy.forbids_borrowing or (self._fair and policy.reclaim != NEVER)

    def _should_try_next(self, mode: _Mode) -> bool:
        if mode.need in (_NO_FIT, _NO_CANDIDATES):
            return True
        if mode.need in (_PREEMPT, _RECLAIM) and self._spec.when_can_preempt == TRY_NEXT:
            return True
        return mode.borrow != 0 and self._spec.when_can_borrow == TRY_NEXT

    def _is_preferred(self, one: _Mode, other: _Mode) -> bool:
        if one.need == _NO_FIT:
            return False
        if other.need == _NO_FIT:
            return True
        if self._spec.preference == BORROWING_FIRST:
            return one.borrow < other.borrow if one.borrow != other.borrow else one.need > other.need
        return one.need > other.need if one.need != other.need else one.borrow < other.borrow
