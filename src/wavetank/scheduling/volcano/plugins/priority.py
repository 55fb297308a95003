from __future__ import annotations

from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.hooks import Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session


class Priority(Plugin):
    """Serves jobs, and tasks inside a job, by their priority, and lets only lower ones be preempted."""

    name = "priority"

    def open(self, session: Session) -> Hooks:
        """Takes part in orders, preemption, and starving."""
        self._session = session
        return Hooks(
            task_order=lambda left, right: right.priority - left.priority,
            job_order=lambda job: -job.priority,
            preemptable=self._lower,
            job_starving=lambda job: job.ready_tasks + job.waiting_tasks < len(job.tasks),
        )

    def _lower(self, preemptor: Task, candidates: list[Task]) -> list[Task]:
        taker = self._session.job_of(preemptor)
        return [] if taker is None else [task for task in candidates if self._is_lower(task, preemptor, taker)]

    def _is_lower(self, task: Task, preemptor: Task, taker: Job) -> bool:
        job = self._session.job_of(task)
        if job is taker:
            return task.priority < preemptor.priority
        return job is not None and job.priority < taker.priority
