from __future__ import annotations

from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.model.quantities import Quantities, share_of
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.hooks import Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session

_TOLERANCE = 0.000001


class _Held:
    """What a job holds, and the largest share of the cluster that this is in any resource."""

    __slots__ = ("allocated", "dominant", "share")

    def __init__(self, allocated: Quantities) -> None:
        self.allocated = allocated
        self.share = 0.0
        self.dominant = ""

    def snapshot(self) -> dict[str, object]:
        """Returns it as plain data."""
        dominant = {"dominantResource": self.dominant} if self.dominant else {}
        return {"share": self.share, **dominant, "allocated": dict(self.allocated.items())}


class Drf(Plugin):
    """Dominant resource fairness: the job with the smallest dominant share comes first."""

    name = "drf"

    def open(self, session: Session) -> Hooks:
        """Takes part in the order of jobs and in preemption."""
        self._session = session
        self._total = session.total
        self._names = [(name, self._total.get(name)) for name in self._total.names()]
        self._held: dict[str, _Held] = {}
        for job in session.jobs.values():
            held = self._held[job.key] = _Held(job.allocated.clone())
            if job.holding_tasks:
                self._update(held)
        return Hooks(
            job_order=lambda job: self._held[job.key].share,
            preemptable=self._richer,
            allocated=lambda task: self._change(task, 1),
            deallocated=lambda task: self._change(task, -1),
        )

    def snapshot(self) -> object:
        """Returns the share of every job."""
        return {key: held.snapshot() for key, held in self._held.items()}

    def _change(self, task: Task, sign: int) -> None:
        held = self._held[task.job]
        if sign > 0:
            held.allocated.add(task.resreq)
        else:
            held.allocated.take(task.resreq)
        self._update(held)

    def _update(self, held: _Held) -> None:
        held.dominant, held.share = self._dominant(held.allocated)

    def _dominant(self, allocated: Quantities) -> tuple[str, float]:
        dominant, highest = "", 0.0
        for name, whole in self._names:
            share = share_of(allocated.get(name), whole)
            if share > highest:
                dominant, highest = name, share
        return dominant, highest

    def _richer(self, preemptor: Task, candidates: list[Task]) -> list[Task]:
        """Accepts tasks whose job still has at least the preemptor's share after their eviction."""
        _, mine = self._dominant(self._held[preemptor.job].allocated.clone().add(preemptor.resreq))
        left: dict[str, Quantities] = {}
        victims = []
        for task in candidates:
            held = self._held.get(task.job)
            if held is None:
                continue
            remaining = left.setdefault(task.job, held.allocated.clone())
            _, theirs = self._dominant(remaining.take(task.resreq))
            if mine < theirs or abs(mine - theirs) <= _TOLERANCE:
                victims.append(task)
            elif defects.UNRESTORED_SHARE in self._session.without:
                remaining.add(task.resreq)
        return victims
