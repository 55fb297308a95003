from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.actions.tasks import tasks_in_turn
from wavetank.scheduling.volcano.model.fiterrors import FitErrors
from wavetank.scheduling.volcano.model.job import INQUEUE, Job
from wavetank.scheduling.volcano.model.statuses import PENDING
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.heap import Heap
from wavetank.scheduling.volcano.session.ranking import best_node
from wavetank.scheduling.volcano.session.search import Failures, Predicates, Search
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.statement import Statement

_NOWHERE: IntArray = np.zeros(0, np.int64)


def allocate(session: Session) -> None:
    """Serves the queues in turn, and of each the first job, until that is ready or nothing more of it fits."""
    _Allocation(session).run()


class _Allocation:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._panel = session.tiers
        self._predicates = Predicates(session)
        self._failures = Failures(session)
        self._tasks: dict[str, Heap[Task]] = {}  # what is left of each job
        self._jobs: dict[str, Heap[Job]] = {}  # of each queue
        for job in session.jobs.values():
            self._admit(job)

    def _admit(self, job: Job) -> None:
        if job.is_pending:
            if "enqueue" in self._session.conf.actions:
                return
            job.phase = INQUEUE  # no other action enqueues jobs
        if self._panel.job_valid(job) is None:
            pending = (task for task in job.among(PENDING) if not task.best_effort)
            tasks = [task for task in pending if not task.gated or task.gated_by_queue]
            if tasks:
                self._tasks[job.key] = tasks_in_turn(self._session, tasks)
                self._jobs.setdefault(job.queue, Heap(self._panel.job_before)).push(job)

    def run(self) -> None:
        queues = Heap(self._panel.queue_before, (self._session.queues[name] for name in self._jobs))
        while queues:
            queue = queues.pop()
            jobs = self._jobs[queue.name]
            if self._panel.overused(queue) or not jobs:
                continue
            job = jobs.pop()
            if self._serve(job) and self._tasks[job.key]:
                jobs.push(job)
            queues.push(queue)

    def _serve(self, job: Job) -> bool:
        """Gives a job one turn; what it got is bound if it is ready, and kept for it if it will be."""
        statement = Statement(self._session)
        self._place_tasks(job, statement)
        if self._panel.job_ready(job):
            statement.commit()
            return True
        if not self._panel.job_pipelined(job) or defects.HELD_RESOURCES in self._session.without:
            statement.discard()
        return False

    def _place_tasks(self, job: Job, statement: Statement) -> None:
        search = Search(self._session, "allocate")
        tasks = self._tasks[job.key]
        while tasks:
            task = tasks.pop()
            found = self._nodes_for(task, job, search)
            if found is None:
                continue
            if not len(found):
                if job.goes_on_after_failure():
                    continue
                return
            self._place(task, found, statement)
            if self._panel.job_ready(job):
                return

    def _nodes_for(self, task: Task, job: Job, search: Search) -> IntArray | None:
        """Returns the nodes for a task, none if it has failed, or None if it is passed over."""
        if not self._panel.allocatable(self._session.queue_of(job), task):
            self._say_why(task, job)
            return None
        if task.gated:
            return None
        if job.has_failed_role(task):
            message = f"Task {task.pod.name} with role spec {task.role} has already predicated failed, skip"
            job.fail(task, FitErrors(self._session.statuses, _NOWHERE, _NOWHERE, message))
            return None
        problem = self._panel.prepare(task)
        if problem:
            job.fail(task, self._predicates.failed(problem, self._session.nodes))
            return _NOWHERE
        return self._search(task, job, search)

    def _say_why(self, task: Task, job: Job) -> None:
        """Reports that a queue has no share left for a task, which Volcano writes only into its log."""
        if defects.DROPPED_TASK in self._session.without:
            message = f"Queue <{job.queue}> is overused when considering task <{task.pod.name}>, ignore it."
            job.fit_errors[task.key] = FitErrors(self._session.statuses, _NOWHERE, _NOWHERE, message)

    def _search(self, task: Task, job: Job, search: Search) -> IntArray:
        found = self._nominated(task, search)
        if len(found):
            return found
        afresh = not search.knows(task)
        errors = self._failures.recall(task) if afresh else None
        if errors is None:
            found, errors = search.find(task, self._session.nodes, self._predicates.for_allocate)
            if len(found):
                return found
            if afresh:
                self._failures.keep(task, errors)
        job.fail(task, errors)
        return found

    def _nominated(self, task: Task, search: Search) -> IntArray:
        """Tries first the node that others were evicted from for this task."""
        slot = self._session.table.slots.get(task.pod.nominated_node, -1)
        node = np.array([slot])
        if (
            slot < 0
            or not self._session.names[slot]
            or self._session.node_resources.lacking_later(task.request, node)[0]
        ):
            return _NOWHERE
        return search.find(task, node, self._predicates.for_allocate)[0]

    def _place(self, task: Task, slots: IntArray, statement: Statement) -> None:
        """Takes the best of the nodes where the task fits now; if there is none, of those where it will fit later."""
        now = slots[self._session.node_resources.fit_now(task.request, slots)]
        candidates = now if len(now) else slots
        slot = int(candidates[0]) if len(candidates) == 1 else best_node(self._session, task, candidates)
        if len(now):
            statement.allocate(task, slot)
        else:
            statement.pipeline(task, slot)
