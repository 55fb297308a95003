from __future__ import annotations

from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.statuses import HOLDING, PENDING, PIPELINED, READY
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.closing import fit_error, set_condition
from wavetank.scheduling.volcano.session.hooks import PERMIT, REJECT, Hooks, Invalid, Plugin
from wavetank.scheduling.volcano.session.outcome import SCHEDULED, UNSCHEDULABLE
from wavetank.scheduling.volcano.session.session import Session


class Gang(Plugin):
    """Keeps a job waiting until at least minAvailable of its tasks can run."""

    name = "gang"

    def open(self, session: Session) -> Hooks:
        """Takes part in nearly everything that is asked of jobs."""
        self._session = session
        return Hooks(
            job_valid=_validate,
            preemptable=self._spare,
            reclaimable=self._spare,
            job_order=Job.is_ready,
            job_ready=lambda job: job.has_roles(READY, with_best_effort=True) and job.is_ready(),
            job_pipelined=_is_pipelined,
            job_starving=Job.is_starving,
            close=self._close,
        )

    def _spare(self, taker: Task, candidates: list[Task]) -> list[Task]:
        """Accepts victims as long as their job keeps minAvailable ready tasks."""
        ready: dict[str, int] = {}
        victims = []
        for task in candidates:
            job = self._session.job_of(task)
            if job is None:
                continue
            left = ready.setdefault(job.key, job.ready_tasks)
            if left > job.min_available:
                ready[job.key] = left - 1
                victims.append(task)
        return victims

    def _close(self) -> None:
        """Writes into every job with tasks whether it could be scheduled."""
        for job in self._session.jobs.values():
            if not job.tasks:
                continue
            if job.is_ready():
                set_condition(self._session, job, SCHEDULED, "tasks in gang are ready to be scheduled", "")
            else:
                missing = job.min_available - _could_be_placed(job)
                message = f"{missing}/{len(job.tasks)} tasks in gang unschedulable: {fit_error(self._session, job)}"
                set_condition(self._session, job, UNSCHEDULABLE, "NotEnoughResources", message)


def _validate(job: Job) -> Invalid | None:
    if not job.has_valid_roles():
        return Invalid("NotEnoughPodsOfTask", "Not enough valid pods of each task for gang-scheduling")
    if job.valid_tasks < job.min_available:
        message = "Not enough valid tasks for gang-scheduling, valid: {}, min: {}"
        return Invalid("NotEnoughTasks", message.format(job.valid_tasks, job.min_available))
    return None


def _is_pipelined(job: Job) -> int:
    return PERMIT if job.has_roles((*READY, PIPELINED), with_best_effort=True) and job.is_pipelined() else REJECT


def _could_be_placed(job: Job) -> int:
    """Counts the tasks that had a place, also those that have lost it again because the others had none."""
    return job.ready_tasks + sum(task.seen_as.status in HOLDING for task in job.among(PENDING))
