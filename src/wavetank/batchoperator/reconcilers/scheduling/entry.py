from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources.batchjob import JobState, read_batchjob
from wavetank.batchoperator.resources.references import Reference
from wavetank.batchoperator.resources.scheduling import QueuedState

Key = tuple[str, str]

_STATES = {
    JobState.SUBMITTED: QueuedState.SUBMITTED,
    JobState.SCHEDULED: QueuedState.SCHEDULED,
    JobState.RUNNING: QueuedState.SCHEDULED,
    JobState.COMPLETED: QueuedState.COMPLETED,
    JobState.FAILED: QueuedState.COMPLETED,
    JobState.FAILED_SUBMISSION: QueuedState.COMPLETED,
}


@dataclass(eq=False)
class Entry:
    """A job of a Scheduling: how many slots it needs, or which, and what was last seen of it.

    `claimed` is whether it is ours, `owner` another scheduling that has claimed it; `problem` why it failed.
    """

    key: Key
    replication: int
    wanted: tuple[int, ...] = ()
    state: QueuedState = QueuedState.ACQUIRING
    exists: bool = False
    claimed: bool = False
    ready: bool = False
    owner: Reference | None = None
    used: tuple[int, ...] = ()  # the slots that were requested for it
    problem: str = ""
    status: dict[str, Any] = field(default_factory=dict)
    reference: dict[str, str] = field(init=False)  # in the status
    _described: tuple[QueuedState, tuple[int, ...], int] | None = None  # what the status was made from

    def __post_init__(self) -> None:
        self.reference = {"name": self.key[1], "namespace": self.key[0]}

    @property
    def name(self) -> str:
        """Returns the namespace and name."""
        return "/".join(self.key)

    def see(self, job: KubeObject | None, scheduling: Reference) -> None:
        """Takes over what a job is now."""
        self.exists = job is not None
        if job is None:
            self.claimed = self.ready = False
            self.owner, self.used = None, ()
            if self.state is not QueuedState.COMPLETED:
                self.state = QueuedState.ACQUIRING
        else:
            self._read(job, scheduling)
        described = (self.state, self.used, self.replication)
        if described != self._described:
            self._described, self.status = described, self._describe()

    def _read(self, job: KubeObject, scheduling: Reference) -> None:
        found = read_batchjob(job)
        claim, state = found.claim, found.state
        self.claimed = claim == scheduling
        self.owner = None if self.claimed else claim
        self.ready = state is JobState.READY
        request = found.request if self.claimed else None
        self.used = () if request is None else request.slot_ids
        self.problem = "; ".join(job.status.get("problems") or ()) if self.claimed else ""
        if not self.claimed:
            self.state = QueuedState.ACQUIRING
        elif state is JobState.IN_QUEUE:
            self.state = QueuedState.IN_QUEUE if request is None else QueuedState.SUBMITTED
        else:
            self.state = _STATES.get(state, QueuedState.ACQUIRING)

    def _describe(self) -> dict[str, Any]:
        status = {"name": self.reference, "state": self.state.value, "replication": self.replication}
        used = self.used or (tuple(self.status.get("slotIds", ())) if self.state is QueuedState.COMPLETED else ())
        return {**status, "slotIds": list(used)} if used else status
