from __future__ import annotations

from wavetank.scheduling.volcano.actions.preempt import NEVER
from wavetank.scheduling.volcano.actions.tasks import tasks_in_turn
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.statuses import PENDING, RUNNING
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.eligible import nodes_worth_trying
from wavetank.scheduling.volcano.session.heap import Heap
from wavetank.scheduling.volcano.session.search import Predicates, Search, kind_of
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.statement import Statement
from wavetank.scheduling.volcano.session.victims import fits_later, tasks_on, victims_in_turn, would_do

_REASON = "reclaim"


def reclaim(session: Session) -> None:
    """Lets starving jobs take back from other queues."""
    _Reclaim(session).run()


class _Reclaim:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._panel = session.tiers
        self._predicates = Predicates(session)
        self._queues: Heap[QueueInfo] = Heap(self._panel.queue_before)
        self._failed: dict[object, int] = {}  # attempts of no use, and how many changes there had been
        self._jobs: dict[str, Heap[Job]] = {}  # starving ones, by queue
        self._tasks: dict[str, Heap[Task]] = {}
        seen: set[str] = set()
        for job in session.jobs.values():
            if job.is_pending or self._panel.job_valid(job) is not None:
                continue
            if job.queue not in seen:
                seen.add(job.queue)
                self._queues.push(session.queues[job.queue])
            if self._panel.job_starving(job):
                self._jobs.setdefault(job.queue, Heap(self._panel.job_before)).push(job)
                self._tasks[job.key] = tasks_in_turn(session, [task for task in job.among(PENDING) if not task.gated])

    def run(self) -> None:
        while self._queues:
            queue = self._queues.pop()
            if self._panel.overused(queue):
                continue
            jobs = self._jobs.get(queue.name)
            while jobs:
                self._serve(jobs.pop(), queue)
                if jobs:
                    self._queues.push(queue)

    def _serve(self, job: Job, queue: QueueInfo) -> None:
        statement = Statement(self._session)
        tasks = self._tasks[job.key]
        while self._panel.job_starving(job) and tasks:
            task = tasks.pop()
            if task.pod.spec.preemption_policy == NEVER or not self._panel.preemptive(queue, task):
                continue
            if not self._panel.prepare(task):
                self._make_room(task, job, statement)
        if self._panel.job_pipelined(job):
            statement.commit()
        else:
            statement.discard()

    def _make_room(self, task: Task, job: Job, statement: Statement) -> None:
        """Takes the first node where it can be done; what failed for a task fails for one like it as well."""
        key, before = (task.job, kind_of(task)), self._session.changes
        if self._session.observer is None and self._failed.get(key) == before:
            return
        if not self._clear_any(task, job, statement) and before == self._session.changes:
            self._failed[key] = before

    def _clear_any(self, task: Task, job: Job, statement: Statement) -> bool:
        nodes = nodes_worth_trying(self._session, task)
        found, _ = Search(self._session, _REASON).find(task, nodes, self._predicates.for_preempt)
        return any(self._clear(task, slot, job, statement) for slot in found.tolist())

    def _clear(self, task: Task, slot: int, job: Job, statement: Statement) -> bool:
        """Evicts from one node until the task fits there, if there are victims."""
        session = self._session
        candidates = [other for other in tasks_on(session, slot) if self._is_possible(other, job)]
        if not candidates:
            return False
        victims = self._panel.reclaimable(task, candidates, session.names[slot])
        if not would_do(session, task, slot, victims):
            return False
        here = Statement(session)
        turn = victims_in_turn(session, victims, task)
        evicted_for = False
        while turn and not fits_later(session, task, slot):
            here.evict(turn.pop(), _REASON)
            evicted_for = True
        if not fits_later(session, task, slot):
            here.discard()
            return False
        here.pipeline(task, slot, evicted_for)
        statement.merge(here)
        return True

    def _is_possible(self, other: Task, job: Job) -> bool:
        theirs = self._session.job_of(other)
        if other.on_node != RUNNING or not other.preemptable or theirs is None or theirs.queue == job.queue:
            return False
        return self._session.queue_of(theirs).queue.reclaimable
