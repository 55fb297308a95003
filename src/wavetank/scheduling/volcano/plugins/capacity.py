from __future__ import annotations

from collections.abc import Iterator

from wavetank.cluster.fields.resources import PODS
from wavetank.scheduling.volcano.config.arguments import Arguments
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.quantities import LEAST, Quantities
from wavetank.scheduling.volcano.model.queue import ROOT, QueueInfo
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.plugins.capacityqueues import CapacityShare, QueueTree, flat_tree, queue_hierarchy
from wavetank.scheduling.volcano.plugins.queueshares import insufficient
from wavetank.scheduling.volcano.session.hooks import PERMIT, REJECT, Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.victims import victims_in_turn


class Capacity(Plugin):
    """Gives every queue its deserved share; it may use more while no other queue needs that.

    With `hierarchical` queues have parents, and whatever is asked of a queue is asked of all above it as well.
    """

    name = "capacity"

    def __init__(self, arguments: Arguments, hierarchical: bool) -> None:
        self._hierarchical = hierarchical
        self._levels = max(0, arguments.integer("ancestorReclaimLevel", 0)) if hierarchical else 0

    def open(self, session: Session) -> Hooks:
        """Finds the limits of every queue, and takes part in all that concerns queues."""
        self._session = session
        self._tree: QueueTree = (queue_hierarchy if self._hierarchical else flat_tree)(session)
        self._shares = self._tree.shares
        tree = self._tree
        return Hooks(
            queue_order=tree.compare if tree.is_valid else None,
            victim_queue_order=tree.nearer_first if self._hierarchical and tree.is_valid else None,
            reclaimable=self._reclaimable,
            preemptive=self._preemptive,
            allocatable=self._has_room,
            enqueueable=self._permit,
            allocated=lambda task: self._change(task, 1),
            deallocated=lambda task: self._change(task, -1),
        )

    def snapshot(self) -> object:
        """Returns the account of every queue."""
        return {name: share.snapshot() for name, share in self._shares.items()}

    # which queues may use more

    def _has_room(self, queue: QueueInfo, task: Task) -> bool:
        if not queue.is_open or not self._tree.is_valid or not self._tree.is_leaf(queue.name):
            return False
        path_to_root = self._tree.path_to_root(queue.name)
        return all(_within(share, share.real_capability, task) for share in path_to_root)

    def _permit(self, job: Job) -> int:
        queue = self._session.queue_of(job)
        if not self._tree.is_valid or not self._tree.is_leaf(queue.name) or not queue.is_open:
            return REJECT
        if not job.states_resources:
            return PERMIT
        path_to_root = list(self._tree.path_to_root(queue.name))
        for share in path_to_root:
            over = share.over_limit(job)
            if over:
                self._session.refuse(job, insufficient(over))
                return REJECT
        for share in path_to_root:
            share.inqueue.add(job.without_gated(job.min_resources))
        return PERMIT

    def _change(self, task: Task, sign: int) -> None:
        """Follows a task; only the share of its own queue is found anew, not of those above."""
        name = self._session.jobs[task.job].queue
        if name not in self._shares:
            return
        for share in self._tree.path_to_root(name):
            if sign > 0:
                share.allocated.add(task.resreq)
            else:
                share.allocated.take(task.resreq)
        self._shares[name].update()

    # reclaiming

    def _preemptive(self, queue: QueueInfo, task: Task) -> bool:
        """Returns whether a queue would still be within what it deserves in some resource that the task asks for."""
        if not self._tree.is_valid or not queue.is_open:
            return False
        share = self._shares[queue.name]
        if not _within(share, share.real_capability, task):
            return False
        above = (self._shares[name] for name in self._tree.above(queue.name, self._levels) if name != ROOT)
        return any(_deserves_more(each, task) for each in (share, *above))

    def _reclaimable(self, reclaimer: Task, candidates: list[Task]) -> list[Task]:
        job = self._session.job_of(reclaimer)
        if not self._tree.is_valid or job is None or job.queue not in self._shares:
            return []
        left: dict[str, Quantities] = {}
        victims = []
        turn = victims_in_turn(self._session, candidates, reclaimer)
        while turn:
            task = turn.pop()
            giving = self._giving(task, reclaimer, self._shares[job.queue], left)
            if giving is not None:
                victims.append(task)
                for name in giving:
                    left[name].take(task.resreq)
        return victims

    def _giving(
        self, task: Task, reclaimer: Task, taker: CapacityShare, left: dict[str, Quantities]
    ) -> list[str] | None:
        """Returns the queues that lose if a task is evicted, or None if it may not be."""
        job = self._session.job_of(task)
        if job is None or job.queue not in self._shares or not _in_common(task.resreq, reclaimer.resreq):
            return None
        share = self._shares[job.queue]
        allocated = left.setdefault(share.name, share.allocated.clone())
        if not share.guarantee.fits(allocated.clone().take(task.resreq)):
            return None
        if not self._has_too_much(share, allocated, task):
            return None
        if self._levels and self._have_equal_claims(task, reclaimer, taker, share):
            return None
        giving = [share.name]
        for ancestor in self._to_check(taker, share):
            held = left.setdefault(ancestor.name, ancestor.allocated.clone())
            giving.append(ancestor.name)
            if not self._has_too_much(ancestor, held, task):
                return None
        return giving

    def _has_too_much(self, share: CapacityShare, allocated: Quantities, task: Task) -> bool:
        """Returns whether a queue holds more than it deserves of what the task has, or deserves nothing of that."""
        return not _has_any(task.resreq, share.deserved) or _exceeds(allocated, share.deserved, task.resreq)

    def _have_equal_claims(self, task: Task, reclaimer: Task, taker: CapacityShare, giver: CapacityShare) -> bool:
        """Returns whether two queues below one parent deserve nothing of these resources: neither has priority."""
        if _has_any(task.resreq, giver.deserved) or _has_any(reclaimer.resreq, taker.deserved):
            return False
        of_taker = set(self._tree.above(taker.name, self._levels)) - {ROOT}
        return bool(of_taker & set(self._tree.above(giver.name, self._levels)))

    def _to_check(self, taker: CapacityShare, giver: CapacityShare) -> Iterator[CapacityShare]:
        """Yields the queues above the giver, level by level, that are not above the taker at the same level."""
        of_taker = self._tree.above(taker.name, self._levels)
        for level, name in enumerate(self._tree.above(giver.name, self._levels)):
            if name != ROOT and (level >= len(of_taker) or of_taker[level] != name):
                yield self._shares[name]


def _within(share: CapacityShare, limit: Quantities, task: Task) -> bool:
    return not share.allocated.clone().add(task.resreq).over(limit, task.resreq)


def _deserves_more(share: CapacityShare, task: Task) -> bool:
    """Returns whether the queue would be within its deserved in some resource of the task of which there is any."""
    for name, amount in task.resreq.items():
        after, deserved = share.allocated.get(name) + amount, share.deserved.get(name)
        counts = name != PODS and amount > 0 and not (after < LEAST and deserved < LEAST)
        if counts and after - deserved < LEAST:
            return True
    return False


def _in_common(left: Quantities, right: Quantities) -> bool:
    return bool((set(left.names()) & set(right.names())) - {PODS})


def _has_any(asked: Quantities, deserved: Quantities) -> bool:
    return bool(set(asked.names()) & set(deserved.names()))


def _exceeds(allocated: Quantities, deserved: Quantities, asked: Quantities) -> bool:
    """Returns whether more is held than deserved in some resource that is asked for and spoken of."""
    if asked.cpu > 0 and deserved.cpu >= LEAST and allocated.cpu > deserved.cpu:
        return True
    if asked.memory > 0 and deserved.memory >= LEAST and allocated.memory > deserved.memory:
        return True
    stated = deserved.scalars or {}
    return any(
        name in stated and name != PODS and amount > 0 and allocated.get(name) > stated[name]
        for name, amount in (asked.scalars or {}).items()
    )
