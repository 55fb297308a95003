from __future__ import annotations

from typing import Any

import msgspec

from wavetank.batchoperator.client.client import Change
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.claims import claim_job, claim_testbed, release, request_application
from wavetank.batchoperator.reconcilers.context import OperatorContext
from wavetank.batchoperator.reconcilers.scheduling.checks import find_problems, free_slots
from wavetank.batchoperator.reconcilers.scheduling.queue import JobQueue
from wavetank.batchoperator.resources.batchjob import CreationRequest, claim_of, read_batchjob
from wavetank.batchoperator.resources.groups import ApiGroup
from wavetank.batchoperator.resources.references import Reference
from wavetank.batchoperator.resources.scheduling import QueuedState, Scheduling, SchedulingState, read_scheduling
from wavetank.batchoperator.resources.testbed import TestbedState
from wavetank.controllers.framework.queue import WorkQueue

Key = tuple[str, str]

_SHOWN = 10  # problems of jobs in a status
_RELEASING = (SchedulingState.COMPLETED, SchedulingState.FINISHED)


class SchedulingReconciler:
    """Claims the jobs and the testbed of a Scheduling, and has its jobs submitted as slots become free.

    The state follows from the jobs, so that a new operator goes on where the last one was. A Scheduling that cannot
    claim everything gives back what it has claimed and waits, with the problem in its status; once jobs were submitted
    it keeps them.
    """

    def __init__(self, context: OperatorContext, group: ApiGroup) -> None:
        self._context = context
        self._client = context.client
        self._group = group
        self._queues: dict[Key, JobQueue] = {}
        self._specs: dict[Key, object] = {}
        self._users: dict[Key, set[Key]] = {}  # by job, the schedulings that have it in their queue
        self._tenants: dict[Key, set[Key]] = {}  # by testbed, its schedulings
        self._own: Key | None = None  # the Scheduling that is being written, if nothing has to follow from that
        self._work = WorkQueue(context.clock, self._reconcile)
        context.client.subscribe(group.scheduling, self._changed)
        context.client.subscribe(group.batchjob, self._job_changed)
        context.client.subscribe(group.testbed, self._testbed_changed)

    def _changed(self, change: Change) -> None:
        if self._own != change.object.key:
            self._work.add(change.object.key)

    def _job_changed(self, change: Change) -> None:
        key = change.object.key
        for user in self._users.get(key, ()):
            queue = self._queues[user]
            queue.changed.add(key)
            if not queue.expects(change.object):
                self._work.add(user)

    def _testbed_changed(self, change: Change) -> None:
        claim = claim_of(change.object)
        unsettled = change.object.status.get("state") == TestbedState.IN_PROGRESS
        for tenant in sorted(self._tenants.get(change.object.key, ())):
            if not (unsettled and claim is not None and claim.key == tenant and self._queues[tenant].begun):
                self._work.add(tenant)
        if claim is not None and claim.key not in self._queues and change.action != "DELETED":
            self._work.add(claim.key)  # it may have been deleted while no operator ran

    def _reconcile(self, key: Key) -> None:
        found = self._client.get(self._group.scheduling, *key)
        if found is None or found.deleting:
            self._end(key)
            return
        scheduling = read_scheduling(found)
        try:
            if scheduling.state in _RELEASING:
                self._release_all(scheduling)
                return
            queue = self._queue(scheduling)
        except msgspec.ValidationError as error:
            self._write(found, SchedulingState.FAILED, [str(error)], [])
            return
        for job in sorted(queue.changed & queue.entries.keys()):
            queue.see(job, self._client.get(self._group.batchjob, *job))
        queue.changed.clear()
        self._proceed(scheduling, queue)

    # the queue

    def _queue(self, scheduling: Scheduling) -> JobQueue:
        """Returns the queue of a Scheduling, arranged as its spec says now."""
        key, spec = scheduling.object.key, scheduling.object.spec
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = JobQueue(scheduling.reference)
        if self._specs.get(key) != spec:
            for gone in queue.arrange(scheduling.spec):
                self._users[gone].discard(key)
                self._release_job(gone, scheduling.reference)
            for job in queue.entries:
                self._users.setdefault(job, set()).add(key)
            if scheduling.testbed is not None:
                self._tenants.setdefault(scheduling.testbed.key, set()).add(key)
            self._specs[key] = spec
        return queue

    def _forget(self, key: Key) -> None:
        queue = self._queues.pop(key, None)
        self._specs.pop(key, None)
        for job in queue.entries if queue else ():
            self._users[job].discard(key)
        for tenants in self._tenants.values():
            tenants.discard(key)

    # the states

    def _proceed(self, scheduling: Scheduling, queue: JobQueue) -> None:
        """Does what can be done now, and writes the state."""
        name = scheduling.testbed
        testbed = None if name is None else self._client.get(self._group.testbed, *name.key)
        queue.measure(0 if testbed is None else len(testbed.status.get("slots") or ()))
        problems = find_problems(scheduling, testbed)
        if not problems and testbed is not None and (queue.begun or not queue.problems):
            ready = self._acquire(scheduling, queue, testbed)
            if ready and not queue.counts[QueuedState.SUBMITTED]:
                self._submit(scheduling, queue, testbed)
        elif not queue.begun:
            self._give_up(scheduling, queue)
        self._write(scheduling.object, _state(queue), [*problems, *_told(queue)], queue.describe())

    def _acquire(self, scheduling: Scheduling, queue: JobQueue, testbed: KubeObject) -> bool:
        """Claims what is not claimed yet; tells whether submitting may go on."""
        if claim_of(testbed) is None:
            claim_testbed(self._context, testbed, scheduling.reference)
        waiting = queue.missing
        for entry in waiting:
            if not entry.claimed and entry.ready:
                job = self._client.get(self._group.batchjob, *entry.key)
                if job is not None and read_batchjob(job).claim is None:
                    claim_job(self._context, job, scheduling.reference)
        return not waiting or queue.begun

    def _submit(self, scheduling: Scheduling, queue: JobQueue, testbed: KubeObject) -> None:
        """Requests the applications of all jobs that can run now."""
        assert scheduling.testbed is not None
        if testbed.status.get("state") == TestbedState.IN_PROGRESS:
            return  # pods are unscheduled or terminating: which slots are free is not yet certain
        for entry, slots in list(queue.runnable(free_slots(testbed))):
            job = self._client.get(self._group.batchjob, *entry.key)
            if job is None or read_batchjob(job).claim != scheduling.reference:
                continue  # which we shall hear of
            request_application(self._context, job, CreationRequest(slots, scheduling.testbed, len(slots)))
            queue.see(entry.key, self._client.get(self._group.batchjob, *entry.key))

    def _give_up(self, scheduling: Scheduling, queue: JobQueue) -> None:
        """Gives back what was claimed, so that two Schedulings never wait for each other."""
        for entry in list(queue.pending.values()):
            if entry.claimed:
                self._release_job(entry.key, scheduling.reference)
        self._release_testbed(scheduling.testbed, scheduling.reference)

    # the end

    def _release_all(self, scheduling: Scheduling) -> None:
        """Releases the jobs and the testbed of a completed Scheduling; then it has finished."""
        key, ours = scheduling.object.key, scheduling.reference
        if scheduling.state is SchedulingState.COMPLETED:
            for job in scheduling.status.jobs:
                self._release_job(job.name.key, ours)
            self._release_testbed(scheduling.testbed, ours)
            found = self._client.get(self._group.scheduling, *key)
            assert found is not None
            self._client.update_status(found, {**found.status, "state": SchedulingState.FINISHED.value})
        self._forget(key)

    def _end(self, key: Key) -> None:
        """Releases the testbed of a Scheduling that was deleted; its jobs are released by their own reconciler."""
        self._forget(key)
        gone = Reference(key[1], key[0])
        for testbed in self._client.list(self._group.testbed):
            if claim_of(testbed) == gone:
                release(self._context, testbed)

    def _release_job(self, key: Key, ours: Reference) -> None:
        job = self._client.get(self._group.batchjob, *key)
        if job is not None and read_batchjob(job).claim == ours:
            release(self._context, job)

    def _release_testbed(self, name: Reference | None, ours: Reference) -> None:
        testbed = None if name is None else self._client.get(self._group.testbed, *name.key)
        if testbed is not None and claim_of(testbed) == ours:
            release(self._context, testbed)

    def _write(self, found: KubeObject, state: SchedulingState, problems: list[str], jobs: list[Any]) -> None:
        status: dict[str, Any] = {"state": state.value, "jobs": jobs, **({"problems": problems} if problems else {})}
        if status != found.status:
            self._own = None if state is SchedulingState.COMPLETED else found.key
            try:
                self._client.update_status(found, status)
            finally:
                self._own = None


def _told(queue: JobQueue) -> list[str]:
    """Returns the problems of jobs, the first of many."""
    failed = [f"job {'/'.join(entry.key)}: {entry.problem}" for entry in queue.failed.values()]
    found = [*queue.problems.values(), *failed]
    return [*found[:_SHOWN], f"{len(found) - _SHOWN} more jobs have problems"] if len(found) > _SHOWN else found


def _state(queue: JobQueue) -> SchedulingState:
    counts = queue.counts
    if counts[QueuedState.COMPLETED] == queue.size:
        return SchedulingState.COMPLETED
    if counts[QueuedState.ACQUIRING] and not queue.begun:
        return SchedulingState.ACQUIRE
    if counts[QueuedState.SUBMITTED]:
        return SchedulingState.CONFIRMATION
    waiting = counts[QueuedState.ACQUIRING] + counts[QueuedState.IN_QUEUE]
    return SchedulingState.SUBMISSION if waiting else SchedulingState.AWAITING_COMPLETION
