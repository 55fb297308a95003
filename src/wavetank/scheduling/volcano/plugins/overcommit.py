from __future__ import annotations

from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.config.arguments import Arguments
from wavetank.scheduling.volcano.model.job import INQUEUE, RUNNING_PHASE, Job
from wavetank.scheduling.volcano.model.quantities import Quantities
from wavetank.scheduling.volcano.session.hooks import PERMIT, REJECT, Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session

_DEFAULT = 1.2


class Overcommit(Plugin):
    """Lets in no more jobs than the cluster could hold if it were somewhat larger."""

    name = "overcommit"

    def __init__(self, arguments: Arguments) -> None:
        factor = arguments.number("overcommit-factor", _DEFAULT)
        self._factor = factor if factor >= 1.0 else _DEFAULT

    def open(self, session: Session) -> Hooks:
        """Takes part in enqueueing."""
        self._session = session
        self._total = Quantities().add(session.total)
        used = session.node_resources.total_used(session.nodes)
        self._idle = self._total.clone().scale(self._factor).take(used)
        self._inqueue = Quantities()
        for job in session.jobs.values():
            expected = self._expected(job)
            if expected is not None:
                self._inqueue.add(job.without_gated(expected))
        return Hooks(enqueueable=self._permit, enqueued=self._enqueued)

    def snapshot(self) -> object:
        """Returns the resources that are left for enqueueing, and those of enqueued jobs."""
        return {
            "totalResource": dict(self._total.items()),
            "idleResource": dict(self._idle.items()),
            "inqueueResource": dict(self._inqueue.items()),
            "overCommitFactor": self._factor,
        }

    def _expected(self, job: Job) -> Quantities | None:
        """Returns what an enqueued job will still need; in Volcano all of it, however much it has got already."""
        if not job.states_resources:
            return None
        if job.phase == INQUEUE:
            counts_twice = defects.DOUBLE_INQUEUE not in self._session.without
            return job.min_resources if counts_twice else job.still_needed()
        assert job.group is not None
        grown = job.phase == RUNNING_PHASE and job.holding_tasks >= job.group.min_member
        return job.still_needed() if grown else None

    def _permit(self, job: Job) -> int:
        if not job.states_resources:
            return PERMIT
        over = self._inqueue.clone().add(job.min_resources).over(self._idle, job.min_resources)
        if not over:
            return PERMIT
        message = "resource in cluster is overused: " + ", ".join(f"overused {name}" for name in over)
        self._session.refuse(job, message)
        return REJECT

    def _enqueued(self, job: Job) -> None:
        if job.states_resources:
            self._inqueue.add(job.without_gated(job.min_resources))
