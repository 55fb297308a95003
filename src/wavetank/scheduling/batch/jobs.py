from __future__ import annotations

from bisect import insort
from collections.abc import Iterator

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.batch.job import FOREVER, BatchJob


class WaitingJobs:
    """The queue of jobs: by priority, then the shortest first if so configured, then by their arrival.

    Pods of one job of the workload belong together; the job is queued when the last of them has arrived.
    """

    def __init__(self, shortest_first: bool = False) -> None:
        self._shortest_first = shortest_first
        self._line: list[BatchJob] = []
        self._of: dict[str, BatchJob] = {}  # by the uids of the pods
        self._gathering: dict[int, list[Pod]] = {}
        self._arrived = 0

    def __iter__(self) -> Iterator[BatchJob]:
        return iter(list(self._line))

    def add(self, pod: Pod) -> None:
        """Adds a pending pod."""
        job = pod.behavior.job if pod.behavior else None
        pods = [pod]
        if job is not None and job.size > 1:
            pods = self._gathering.setdefault(id(job), [])
            pods.append(pod)
            if len(pods) < job.size:
                return
            del self._gathering[id(job)]
        self._arrived += 1
        takes = expected(pod)
        entry = BatchJob(pods, takes, (-pod.priority, takes if self._shortest_first else 0, self._arrived))
        self.put(entry)

    def put(self, job: BatchJob) -> None:
        """Queues a job, at the position of its rank."""
        insort(self._line, job, key=lambda waiting: waiting.rank)
        self._of.update((pod.uid, job) for pod in job.pods)

    def remove(self, pod: Pod) -> BatchJob | None:
        """Removes a pod that is no longer pending; returns its job if that was queued, and is not any more.

        The other pods of the job stay pending outside the queue: they cannot start without it.
        """
        job = self._of.get(pod.uid)
        if job is None:
            self._forget_gathering(pod)
            return None
        self.take(job)
        return job

    def take(self, job: BatchJob) -> None:
        """Removes a job from the queue."""
        self._line.remove(job)
        for pod in job.pods:
            del self._of[pod.uid]

    def _forget_gathering(self, pod: Pod) -> None:
        job: Job | None = pod.behavior.job if pod.behavior else None
        pods = self._gathering.get(id(job), [])
        pods[:] = [other for other in pods if other.uid != pod.uid]


def expected(pod: Pod) -> Nanoseconds:
    """Returns how long a pod says that it needs: its job's walltime, or else what it really needs; never no time."""
    run = pod.behavior
    if run is None:
        return FOREVER
    if run.job is not None and run.job.walltime is not None:
        return run.job.walltime
    return FOREVER if run.duration is None else max(1, run.duration)
