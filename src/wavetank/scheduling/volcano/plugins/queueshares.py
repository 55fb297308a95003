from __future__ import annotations

from wavetank.scheduling.volcano.model.job import INQUEUE, RUNNING_PHASE, Job
from wavetank.scheduling.volcano.model.quantities import UNLIMITED, Quantities, share_of
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.statuses import PENDING


class QueueShare:
    """What a queue deserves, asks for and holds, as the plugins proportion and capacity count it."""

    def __init__(self, queue: QueueInfo) -> None:
        self.queue = queue
        self.name = queue.name
        self.share = 0.0
        self.deserved = Quantities()
        self.allocated = Quantities()
        self.request = Quantities()
        self.elastic = Quantities()  # what its jobs hold beyond their minimum
        self.inqueue = Quantities()  # what enqueued jobs have not got yet
        self.capability = Quantities()
        self.real_capability = Quantities()
        self.guarantee = queue.guarantee.clone()

    def limit(self, total: Quantities, guaranteed: Quantities) -> None:
        """Finds what the queue may hold at most: all that is not guaranteed to others, within its capability."""
        self.real_capability = total.beyond(guaranteed).add(self.guarantee)
        if self.queue.states_capability:
            self.capability = self.queue.capability.clone()
            self.capability.cpu = self.capability.cpu if self.capability.cpu > 0 else UNLIMITED
            self.capability.memory = self.capability.memory if self.capability.memory > 0 else UNLIMITED
            self.real_capability.cap(self.capability, unnamed_is_unlimited=True)

    def include(self, job: Job) -> None:
        """Counts a job."""
        for task in job.among(PENDING):
            self.request.add(task.resreq)
        if is_expected(job):
            self.inqueue.add(job.without_gated(job.still_needed()))
        if job.holding_tasks:
            self.allocated.add(job.allocated)
            self.request.add(job.allocated)
            self.elastic.add(job.allocated.beyond(job.min_resources))

    def over_limit(self, job: Job) -> list[str]:
        """Names the resources in which the queue would exceed its limit if a job were enqueued."""
        least = job.min_resources
        after = least.clone().add(self.allocated).add(self.inqueue).take(self.elastic)
        return after.over(self.real_capability, least)

    def largest_share(self) -> float:
        """Returns the largest part of what it deserves that the queue holds."""
        return max(
            (share_of(self.allocated.get(name), self.deserved.get(name)) for name in self.deserved.names()), default=0.0
        )

    def snapshot(self) -> dict[str, object]:
        """Returns it all as plain data."""
        quantities = ("deserved", "allocated", "request", "elastic", "inqueue", "capability", "guarantee")
        found: dict[str, object] = {name: dict(getattr(self, name).items()) for name in quantities}
        return {"share": self.share, **found, "realCapability": dict(self.real_capability.items())}


def is_expected(job: Job) -> bool:
    """Returns whether a job was enqueued and may still need some of what it asks for at least."""
    if not job.states_resources:
        return False
    assert job.group is not None
    return job.phase == INQUEUE or (job.phase == RUNNING_PHASE and job.holding_tasks >= job.group.min_member)


def insufficient(names: list[str]) -> str:
    """Says in which resources a queue has had its share."""
    return "queue resource quota insufficient: " + ", ".join(f"insufficient {name}" for name in names)
