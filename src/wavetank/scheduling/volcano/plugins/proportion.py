from __future__ import annotations

from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.quantities import LEAST, Quantities
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.plugins.queueshares import QueueShare, insufficient
from wavetank.scheduling.volcano.session.hooks import PERMIT, REJECT, Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session


class Proportion(Plugin):
    """Divides the cluster among the queues that have jobs by their weights; no queue gets more than it asks for."""

    name = "proportion"

    def open(self, session: Session) -> Hooks:
        """Finds what every queue deserves, and takes part in all that concerns queues."""
        self._session = session
        self._tolerance = LEAST if defects.EXACT_SHARES in session.without else 0.0
        self._shares: dict[str, QueueShare] = {}
        guaranteed = Quantities()
        for queue in session.queues.values():
            guaranteed.add(queue.guarantee)
        for job in session.jobs.values():
            if job.queue not in self._shares:
                share = self._shares[job.queue] = QueueShare(session.queues[job.queue])
                share.limit(session.total, guaranteed)
            self._shares[job.queue].include(job)
        self._divide(session.total.clone())
        return Hooks(
            queue_order=self._compare,
            reclaimable=self._above_deserved,
            overused=lambda queue: self._shares[queue.name].deserved.fits(self._shares[queue.name].allocated),
            allocatable=self._has_room,
            preemptive=self._has_room,
            enqueueable=self._permit,
            allocated=lambda task: self._change(task, 1),
            deallocated=lambda task: self._change(task, -1),
        )

    def snapshot(self) -> object:
        """Returns the account of every queue that has jobs."""
        return {name: {"weight": each.queue.queue.weight, **each.snapshot()} for name, each in self._shares.items()}

    def _divide(self, remaining: Quantities) -> None:
        """Hands out what remains by weight, in rounds, until all have what they ask for or nothing changes."""
        hungry = self._session.in_map_order(list(self._shares.values()))
        while hungry:
            weights = sum(share.queue.queue.weight for share in hungry)
            if not weights:
                return
            more, less = Quantities(), Quantities()
            left = []
            for share in hungry:
                before = share.deserved
                self._serve(share, remaining, share.queue.queue.weight / weights)
                if not share.request.fits(share.deserved) and not share.deserved.same_as(before):
                    left.append(share)
                more.add(share.deserved.beyond(before))
                less.add(before.beyond(share.deserved))
            before, remaining = remaining, remaining.clone().add(less).beyond(more)
            if remaining.is_empty() or remaining.same_as(before):
                return
            hungry = self._session.in_map_order(left)

    def _serve(self, share: QueueShare, remaining: Quantities, part: float) -> None:
        deserved = share.deserved.clone().add(remaining.clone().scale(part))
        deserved.cap(share.real_capability, unnamed_is_unlimited=True)
        deserved.cap(share.request, unnamed_is_unlimited=False)
        share.deserved = deserved.raised_to(share.guarantee)
        share.share = share.largest_share()

    def _compare(self, left: QueueInfo, right: QueueInfo) -> int:
        if left.queue.priority != right.queue.priority:
            return right.queue.priority - left.queue.priority
        of_left, of_right = self._shares[left.name].share, self._shares[right.name].share
        return (of_left > of_right) - (of_left < of_right)

    def _above_deserved(self, reclaimer: Task, candidates: list[Task]) -> list[Task]:
        """Accepts victims as long as their queue has more than it deserves in some resource."""
        left: dict[str, Quantities] = {}
        victims = []
        for task in candidates:
            job = self._session.job_of(task)
            if job is None:
                continue
            share = self._shares[job.queue]
            allocated = left.setdefault(job.queue, share.allocated.clone())
            if not allocated.fits(share.deserved):
                allocated.take(task.resreq)
                victims.append(task)
        return victims

    def _has_room(self, queue: QueueInfo, task: Task) -> bool:
        if not queue.is_open:
            return False
        share = self._shares[queue.name]
        return not share.allocated.clone().add(task.resreq).over(share.deserved, task.resreq, self._tolerance)

    def _permit(self, job: Job) -> int:
        if not self._session.queue_of(job).is_open:
            return REJECT
        if not job.states_resources:
            return PERMIT
        share = self._shares[job.queue]
        over = share.over_limit(job)
        if over:
            self._session.refuse(job, insufficient(over))
            return REJECT
        share.inqueue.add(job.without_gated(job.min_resources))
        return PERMIT

    def _change(self, task: Task, sign: int) -> None:
        share = self._shares[self._session.jobs[task.job].queue]
        if sign > 0:
            share.allocated.add(task.resreq)
        else:
            share.allocated.take(task.resreq)
        share.share = share.largest_share()
