from __future__ import annotations

from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.session.heap import Heap
from wavetank.scheduling.volcano.session.session import Session


def enqueue(session: Session) -> None:
    """Enqueues pending jobs, one of a queue at a time, unless the plugins find that the cluster is too small for them.

    A job without minResources is enqueued without asking them.
    """
    waiting: dict[str, list[Job]] = {}
    pending = session.tiers.in_order(job for job in session.jobs.values() if job.is_pending)
    for job in reversed(pending):  # to be popped from the end; enqueueing does not change this order
        waiting.setdefault(job.queue, []).append(job)
    names = dict.fromkeys(job.queue for job in session.jobs.values())
    queues = Heap(session.tiers.queue_before, (session.queues[name] for name in names))
    while queues:
        queue = queues.pop()
        jobs = waiting.get(queue.name)
        if jobs:
            job = jobs.pop()
            if not job.states_resources or session.tiers.job_enqueueable(job):
                session.tiers.enqueued(job)
                session.enqueue(job)
            queues.push(queue)
