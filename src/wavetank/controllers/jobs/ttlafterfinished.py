from __future__ import annotations

from wavetank.cluster.objects.groupkinds import JOB
from wavetank.cluster.objects.resource import Resource, parse_time
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.workloads.jobconditions import FINISHED
from wavetank.kernel.durations import SECOND, Nanoseconds


class TTLAfterFinished:
    """The ttl-after-finished-controller: deletes finished Jobs after their ttlSecondsAfterFinished."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._queue = context.queue(self._sync)
        context.store.subscribe(JOB, self)
        for job in context.store.list(JOB):
            self.added(job)

    def added(self, new: Resource) -> None:
        """Enqueues a finished Job that has a TTL."""
        if new.deleted is None and _expiry(new) is not None:
            self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a finished Job that has a TTL."""
        self.added(new)

    def deleted(self, old: Resource) -> None:
        """Does nothing."""

    def _sync(self, key: Key) -> None:
        job = self._context.store.find(JOB, *key)
        expiry = None if job is None or job.deleted is not None else _expiry(job)
        if job is None or expiry is None:
            return
        left = expiry - self._context.clock.now
        if left > 0:
            self._queue.add_after(key, left, background=True)
        else:
            self._context.client.delete(job, policy="Foreground")


def _expiry(job: Resource) -> Nanoseconds | None:
    """Returns when a Job is to be deleted; None if it has not finished or has no TTL."""
    seconds = (job.manifest.get("spec") or {}).get("ttlSecondsAfterFinished")
    for condition in (job.manifest.get("status") or {}).get("conditions") or ():
        if seconds is not None and condition.get("type") in FINISHED and condition.get("status") == "True":
            ended = parse_time(condition.get("lastTransitionTime"), "lastTransitionTime")
            return None if ended is None else ended + seconds * SECOND
    return None
