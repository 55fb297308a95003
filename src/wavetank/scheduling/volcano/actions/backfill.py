from __future__ import annotations

from collections.abc import Iterator

from wavetank.scheduling.volcano.actions.tasks import tasks_in_turn
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.statuses import ALLOCATED, PENDING, PIPELINED
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.heap import Heap
from wavetank.scheduling.volcano.session.ranking import best_node
from wavetank.scheduling.volcano.session.search import Predicates, Search
from wavetank.scheduling.volcano.session.session import Session


def backfill(session: Session) -> None:
    """Places the tasks that ask for nothing; a job's are bound as soon as it is ready. No queue's share is checked."""
    predicates = Predicates(session)
    for task in list(_waiting(session)):
        job = session.jobs[task.job]
        problem = session.tiers.prepare(task)
        if problem:
            job.fail(task, predicates.failed(problem, session.nodes))
            continue
        found, errors = Search(session, "backfill").find(task, session.nodes, predicates.for_backfill)
        if not len(found):
            job.fail(task, errors)
            continue
        session.allocate(task, int(found[0]) if len(found) == 1 else best_node(session, task, found))
        if session.tiers.job_ready(job):
            for placed in session.in_map_order(sorted(job.among(ALLOCATED), key=lambda each: each.key)):
                session.bind(placed)


def _waiting(session: Session) -> Iterator[Task]:
    """Yields the tasks in turn: by queue, then by job; pipelined tasks try again."""
    tiers = session.tiers
    tasks: dict[str, Heap[Task]] = {}
    jobs: dict[str, Heap[Job]] = {}
    for job in session.jobs.values():
        if job.is_pending or tiers.job_valid(job) is not None:
            continue
        found = [task for task in job.among(PENDING) if task.best_effort and not task.gated]
        promised = [task for task in job.among(PIPELINED) if task.best_effort]
        for task in promised:
            session.withdraw(task)
        if found or promised:
            tasks[job.key] = tasks_in_turn(session, [*found, *promised])
            jobs.setdefault(job.queue, Heap(tiers.job_before)).push(job)
    queues = Heap(tiers.queue_before, (session.queues[name] for name in jobs))
    while queues:
        in_queue = jobs[queues.pop().name]
        while in_queue:
            in_job = tasks[in_queue.pop().key]
            while in_job:
                yield in_job.pop()
