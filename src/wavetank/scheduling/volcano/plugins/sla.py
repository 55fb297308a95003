from __future__ import annotations

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.volcano.config.arguments import Arguments
from wavetank.scheduling.volcano.model.goduration import read_go_duration
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.session.hooks import ABSTAIN, PERMIT, Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session

WAITING_TIME = "sla-waiting-time"


class Sla(Plugin):
    """Serves jobs by the end of their waiting time, and enqueues them when it is over.

    A job's own waiting time comes before that of all jobs.
    """

    name = "sla"

    def __init__(self, arguments: Arguments) -> None:
        self._of_all = read_go_duration(arguments.get(WAITING_TIME))

    def open(self, session: Session) -> Hooks:
        """Takes part in the order of jobs and in enqueueing."""
        self._session = session
        return Hooks(job_order=self._order, enqueueable=self._permit, job_pipelined=self._permit)

    def deadline(self, job: Job) -> Nanoseconds | None:
        """Returns when the job's waiting time is over, or None if it has none."""
        waits = self._of_all if job.waiting_time is None else job.waiting_time
        return None if waits is None else job.created * SECOND + waits

    def _order(self, job: Job) -> tuple[bool, Nanoseconds]:
        deadline = self.deadline(job)
        return (True, 0) if deadline is None else (False, deadline)

    def _permit(self, job: Job) -> int:
        deadline = self.deadline(job)
        return ABSTAIN if deadline is None or self._session.now < deadline else PERMIT
