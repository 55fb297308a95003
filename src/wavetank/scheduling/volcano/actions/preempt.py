from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.plugins.defaultpreemption.plugin import PREEMPTED
from wavetank.scheduling.volcano.actions.tasks import tasks_in_turn
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.statuses import PENDING, PREEMPTABLE
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.eligible import nodes_worth_trying
from wavetank.scheduling.volcano.session.heap import Heap
from wavetank.scheduling.volcano.session.ranking import ranked
from wavetank.scheduling.volcano.session.search import Predicates, Search, kind_of
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.statement import Statement
from wavetank.scheduling.volcano.session.victims import fits_later, tasks_on, victims_in_turn, would_do

NEVER = "Never"
_REASON = "preempt"
_Filter = Callable[[Task], bool]


def preempt(session: Session) -> None:
    """Lets starving jobs take from others of their queue, and then from their own less important tasks."""
    _Preemption(session).run()


class _Preemption:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._panel = session.tiers
        self._search = Search(session, "preempt")
        self._predicates = Predicates(session)
        self._failed: dict[object, int] = {}  # attempts of no use, and how many changes there had been
        self._jobs: dict[str, Heap[Job]] = {}  # starving ones, by queue
        self._all: dict[str, list[Job]] = {}
        self._tasks: dict[str, Heap[Task]] = {}
        for job in session.jobs.values():
            if not job.is_pending and self._panel.job_valid(job) is None and self._panel.job_starving(job):
                self._jobs.setdefault(job.queue, Heap(self._panel.job_before)).push(job)
                self._all.setdefault(job.queue, []).append(job)
                self._tasks[job.key] = self._pending(job)

    def _pending(self, job: Job) -> Heap[Task]:
        return tasks_in_turn(self._session, [task for task in job.among(PENDING) if not task.gated])

    def run(self) -> None:
        queues = Heap(self._panel.queue_before, (self._session.queues[name] for name in self._jobs))
        while queues:
            queue = queues.pop()
            jobs = self._jobs[queue.name]
            while jobs:
                job = jobs.pop()
                if self._take_from_others(job):
                    jobs.push(job)
            for job in self._all[queue.name]:
                self._take_from_itself(job)

    def _take_from_others(self, job: Job) -> bool:
        """Evicts for a job until it no longer starves; returns whether it should have another turn."""
        statement = Statement(self._session)
        assigned = False
        tasks = self._tasks[job.key]
        while self._panel.job_starving(job) and tasks:
            task = tasks.pop()
            assigned = self._try(task, statement, lambda other: self._is_rival(other, job), "others")
        if not self._panel.job_pipelined(job):
            statement.discard()
            return False
        statement.commit()
        return assigned

    def _take_from_itself(self, job: Job) -> None:
        tasks = self._pending(job)
        while tasks:
            statement = Statement(self._session)
            if not self._try(tasks.pop(), statement, lambda other: other.job == job.key, "itself"):
                statement.discard()
                return
            statement.commit()

    def _is_rival(self, other: Task, job: Job) -> bool:
        theirs = self._session.job_of(other)
        return theirs is not None and theirs.queue == job.queue and theirs is not job

    def _try(self, task: Task, statement: Statement, is_meant: _Filter, scope: str) -> bool:
        """Evicts for a task, unless that has just failed for an equal one; with an observer every attempt is made."""
        key = (task.job, task.priority, kind_of(task), scope)
        if self._session.observer is None and self._failed.get(key) == self._session.changes:
            return False
        before = self._session.changes
        if self._make_room(task, statement, is_meant):
            return True
        if not task.pod.nominated_node and before == self._session.changes:
            self._failed[key] = before
        return False

    def _make_room(self, task: Task, statement: Statement, is_meant: _Filter) -> bool:
        """Finds a node where a task fits when some of those meant have left; best scores first."""
        if not self._may_preempt(task) or self._panel.prepare(task):
            return False
        nodes = nodes_worth_trying(self._session, task)
        found, _ = self._search.find(task, nodes, self._predicates.for_preempt)
        queue = self._session.queues[self._session.jobs[task.job].queue]
        best_first = ranked(self._session, task, found).tolist()
        return any(self._clear(task, slot, queue, statement, is_meant) for slot in best_first)

    def _clear(self, task: Task, slot: int, queue: QueueInfo, statement: Statement, is_meant: _Filter) -> bool:
        """Evicts from one node until the task fits there and its queue has a share for it."""
        session = self._session
        candidates = [other for other in tasks_on(session, slot) if _is_possible(other, task) and is_meant(other)]
        victims = self._panel.preemptable(task, candidates, session.names[slot])
        if not would_do(session, task, slot, victims):
            return False
        here = Statement(session)
        turn = victims_in_turn(session, victims, task)
        evicted_for = False
        while turn and not self._fits(task, slot, queue):
            victim = turn.pop()
            here.evict(victim, _REASON)
            evicted_for = evicted_for or not victim.best_effort
        if not self._fits(task, slot, queue):
            here.discard()
            return False
        here.pipeline(task, slot, evicted_for)
        statement.merge(here)
        return True

    def _fits(self, task: Task, slot: int, queue: QueueInfo) -> bool:
        return self._panel.allocatable(queue, task) and fits_later(self._session, task, slot)

    def _may_preempt(self, task: Task) -> bool:
        """Rejects tasks that never preempt, and those that only have to wait for their nominated node."""
        if task.pod.spec.preemption_policy == NEVER:
            return False
        nominated = task.pod.nominated_node
        if not nominated:
            return True
        slot = self._session.table.slots.get(nominated, -1)
        if slot < 0 or not self._session.names[slot]:
            return False
        verdict = self._panel.predicate(task, np.array([slot]))
        if verdict is None or not verdict[0]:
            return False
        if self._session.statuses.unresolvable(verdict)[0]:
            return True
        return not any(_makes_way(other.pod, task.pod) for other in tasks_on(self._session, slot))


def _is_possible(other: Task, task: Task) -> bool:
    return other.on_node in PREEMPTABLE and other.preemptable and (other.best_effort or not task.best_effort)


def _makes_way(other: Pod, pod: Pod) -> bool:
    """Returns whether a pod of lower priority is terminating after a preemption."""
    return other.deleted is not None and other.reason == PREEMPTED and other.priority < pod.priority
