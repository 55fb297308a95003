"""What becomes of jobs and slots during a run, for tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wavetank.batchoperator.client.objects import KubeObject, from_resource
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.batchjob import JobState, read_batchjob
from wavetank.batchoperator.resources.groups import GROUPS
from wavetank.batchoperator.resources.testbed import SlotState
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds

_ENDS = (JobState.COMPLETED, JobState.FAILED, JobState.FAILED_SUBMISSION)


@dataclass
class JobRun:
    """A job in the queue of one Scheduling: when it came into each state; None: never.

    It has waited since `created`: its creation, or for a job that ran before, when it was queued again.
    """

    namespace: str
    name: str
    scheduling: str
    created: Nanoseconds
    queued: Nanoseconds
    submitted: Nanoseconds | None = None
    scheduled: Nanoseconds | None = None
    started: Nanoseconds | None = None
    finished: Nanoseconds | None = None
    state: JobState = JobState.IN_QUEUE
    slots: tuple[int, ...] = ()


@dataclass
class SlotUse:
    """A pod in a slot, from `start` to `end`, None if it is still there."""

    testbed: str
    slot: int
    node: str
    position: int
    pod: str
    job: str
    start: Nanoseconds
    end: Nanoseconds | None = None


class BatchRecorder:
    """Records the runs of all jobs and the uses of all slots, in the order in which they began."""

    def __init__(self) -> None:
        self.jobs: list[JobRun] = []
        self.uses: list[SlotUse] = []
        self.slots: dict[tuple[str, int], str] = {}  # all slots that ever were, by testbed and id: the node
        self._runs: dict[tuple[str, str, str], JobRun] = {}
        self._inside: dict[tuple[str, int], SlotUse] = {}

    @property
    def latencies(self) -> list[Nanoseconds]:
        """Returns how long each job took that has ended, its waiting included."""
        return [run.finished - run.created for run in self.jobs if run.finished is not None]

    def join(self, store: Store) -> None:
        """Follows the objects of a store from now on."""
        self._store = store
        for group in GROUPS:
            store.subscribe(group.batchjob, modified=lambda _, new: self._job(new))
            store.subscribe(group.testbed, modified=lambda _, new: self._testbed(new))

    def _job(self, new: Resource) -> None:
        found = from_resource(new)
        job, now = read_batchjob(found), self._store.clock.now
        key = (found.group_kind, *found.key)
        run, state = self._runs.get(key), job.state
        if run is None:
            claim = job.claim
            if state is not JobState.IN_QUEUE or claim is None:
                return
            created = now if job.status.scheduled_events else found.created
            run = self._runs[key] = JobRun(found.namespace, found.name, claim.name, created, now)
            self.jobs.append(run)
        elif state is JobState.READY:
            del self._runs[key]
            return
        self._advance(run, state, found, now)

    def _advance(self, run: JobRun, state: JobState, found: KubeObject, now: Nanoseconds) -> None:
        if state is JobState.PENDING_DELETION or run.finished is not None:
            return
        run.state = state
        run.slots = tuple(found.status.get("slotIds") or ()) or run.slots
        if state is JobState.SUBMITTED and run.submitted is None:
            run.submitted = now
        if state in (JobState.SCHEDULED, JobState.RUNNING) and run.scheduled is None:
            run.scheduled = now
        if state is JobState.RUNNING and run.started is None:
            run.started = now
        if state in _ENDS:
            run.finished = now

    def _testbed(self, new: Resource) -> None:
        status: Any = new.manifest.get("status") or {}
        for entry in status.get("slots") or ():
            key = (new.name, entry["position"])
            self.slots[key] = entry["nodeName"]
            pod = entry.get("podName") if entry["state"] == SlotState.OCCUPIED else None
            inside = self._inside.get(key)
            if inside is not None and inside.pod != pod:
                inside.end = self._store.clock.now
                del self._inside[key]
            if pod is not None and key not in self._inside:
                self._enter(new, entry, pod)

    def _enter(self, testbed: Resource, entry: Any, pod: str) -> None:
        found = self._store.find(POD, testbed.namespace, pod)
        job = "" if found is None else next(_jobs(found), "")
        key = (testbed.name, entry["position"])
        use = SlotUse(*key, entry["nodeName"], entry["slotPositionOnNode"], pod, job, self._store.clock.now)
        self._inside[key] = use
        self.uses.append(use)


def _jobs(pod: Resource) -> Iterator[str]:
    """Yields the application's name as the pod's labels have it, which is that of the job."""
    for label in (labels.SPARK_APP, labels.FLINK_CLUSTER, labels.FLINK_APP):
        if label in pod.labels:
            yield pod.labels[label]
