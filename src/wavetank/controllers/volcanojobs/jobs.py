from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

from wavetank.cluster.objects.groupkinds import VOLCANO_JOB
from wavetank.cluster.objects.pod import FAILED, PENDING, RUNNING, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.volcano import POD_GROUPS
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_of
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.volcanojobs.actions import JobActions
from wavetank.controllers.volcanojobs.phases import FINISHED, operation_for
from wavetank.controllers.volcanojobs.pods import JOB_VERSION, TASK_SPEC
from wavetank.controllers.volcanojobs.policies import OUT_OF_SYNC, POD_RUNNING, SYNC, JobEvent, apply_policies
from wavetank.controllers.volcanojobs.spec import JobSpec, TaskSpec
from wavetank.controllers.volcanojobs.speccache import SpecCache
from wavetank.controllers.volcanojobs.validation import (
    JOB_UNKNOWN,
    POD_EVICTED,
    POD_FAILED,
    POD_PENDING,
    TASK_COMPLETED,
    TASK_FAILED,
)
from wavetank.kernel.clock import Timer
from wavetank.kernel.durations import SECOND


@dataclass(frozen=True, slots=True)
class _Request:
    """A request of the queue: an event to apply the job's policies to, or an action whose delay is over."""

    event: JobEvent
    action: str = ""


class VolcanoJobs:
    """Volcano's job controller: creates PodGroups and pods of Jobs, and applies their policies to events.

    Pods are created once the scheduler has admitted the PodGroup to its queue. A Job that Volcano's admission would
    reject fails at once, with a message.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._cleaning = context.queue(self._clean)
        self._actions = JobActions(context)
        self._specs = SpecCache()
        self._requests: defaultdict[Key, list[_Request]] = defaultdict(list)
        self._delayed: defaultdict[Key, dict[str, tuple[str, Timer]]] = defaultdict(dict)  # by job and pod
        self._store.subscribe(VOLCANO_JOB, self)
        self._store.subscribe(POD_GROUPS, modified=self._group_modified)
        for job in self._store.list(VOLCANO_JOB):
            self.added(job)

    # events

    def added(self, new: Resource) -> None:
        """Adds a job, with its existing pods."""
        self._context.pods.follow(new.uid, _PodEvents(self, new))
        self.handle(new.key, JobEvent(OUT_OF_SYNC))

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a job whose spec or phase has changed."""
        if old.manifest.get("spec") != new.manifest.get("spec") or _phase(old) != _phase(new):
            self.handle(new.key, JobEvent(OUT_OF_SYNC))
        if _phase(new) in FINISHED:
            self._cleaning.add(new.key)

    def deleted(self, old: Resource) -> None:
        """Removes a job; its pods are left to the garbage collector."""
        self._context.pods.unfollow(old.uid)
        self._specs.forget(old)
        self._requests.pop(old.key, None)
        for _, timer in self._delayed.pop(old.key, {}).values():
            timer.cancel()

    def _group_modified(self, old: Resource, new: Resource) -> None:
        """Follows the phase of a job's PodGroup, which the scheduler writes."""
        before, after = ((each.manifest.get("status") or {}).get("phase") for each in (old, new))
        owner = controller_of(new)
        if before != after and owner is not None and owner.get("kind") == "Job":
            event = JOB_UNKNOWN if after == "Unknown" else ""
            self.handle((new.namespace, str(owner["name"])), JobEvent(event))

    def handle(self, key: Key, event: JobEvent) -> None:
        """Enqueues an event of a job."""
        self._requests[key].append(_Request(event))
        self._queue.add(key)

    # events of pods

    def event_of(self, job_key: Key, old: Pod, new: Pod) -> str | None:
        """Returns the event that a change of a pod is for its job; None if it is none."""
        if new.phase == old.phase:
            if new.restarts != old.restarts and self._has_failed(job_key, new):
                return TASK_FAILED
            return OUT_OF_SYNC if new.deleted != old.deleted else None
        if new.phase == FAILED:
            return POD_FAILED
        if new.phase == SUCCEEDED:
            return TASK_COMPLETED if self._is_completed(job_key, new) else OUT_OF_SYNC
        return POD_RUNNING if new.phase == RUNNING else POD_PENDING

    def _is_completed(self, job_key: Key, pod: Pod) -> bool:
        task, pods = self._task_of(job_key, pod)
        return task is not None and 0 < task.replicas <= sum(each.phase == SUCCEEDED for each in pods)

    def _has_failed(self, job_key: Key, pod: Pod) -> bool:
        task, pods = self._task_of(job_key, pod)
        restarts = sum(each.restarts for each in pods if each.phase in (PENDING, RUNNING))
        return task is not None and task.max_retry is not None and restarts >= task.max_retry

    def _task_of(self, job_key: Key, pod: Pod) -> tuple[TaskSpec | None, list[Pod]]:
        """Returns the task that a pod belongs to, with all its pods."""
        job = self._store.find(VOLCANO_JOB, *job_key)
        if job is None or self._specs.problem_of(job):
            return None, []
        name = pod.annotations.get(TASK_SPEC, "")
        pods = [each for each in self._context.pods.of(job.uid) if each.annotations.get(TASK_SPEC) == name]
        return self._specs.spec_of(job).task(name), pods

    def was_killed(self, pod: Pod) -> bool:
        """Tells whether this controller has deleted a pod."""
        return self._actions.was_killed(pod)

    def pod_gone(self, pod: Pod) -> None:
        """Removes a pod."""
        self._actions.forget(pod)

    # work

    def _sync(self, key: Key) -> None:
        job = self._store.find(VOLCANO_JOB, *key)
        requests, self._requests[key] = self._requests[key], []
        if job is None or job.deleted is not None:
            self._requests.pop(key, None)
            return
        problem = self._specs.problem_of(job)
        if problem:
            self._actions.refuse(job, problem)
            return
        spec = self._specs.spec_of(job)
        for request in requests:
            self._handle(key, spec, request)
        self._execute(key, spec, SYNC, JobEvent(OUT_OF_SYNC))

    def _handle(self, key: Key, spec: JobSpec, request: _Request) -> None:
        event = request.event
        self._cancel_overtaken(key, event)
        if request.action:
            self._execute(key, spec, request.action, event)
            return
        job = self._store.get(VOLCANO_JOB, *key)
        applied = apply_policies(event, spec, int((job.manifest.get("status") or {}).get("version") or 0))
        if applied.action == SYNC:
            return  # the job is synced once, after all requests
        if applied.delay:
            later = partial(self._when_due, key, _Request(event, applied.action))
            self._delayed[key][event.pod] = event.event, self._context.clock.after(applied.delay, later)
        else:
            self._execute(key, spec, applied.action, event)

    def _when_due(self, key: Key, request: _Request) -> None:
        self._delayed[key].pop(request.event.pod, None)
        self._requests[key].append(request)
        self._queue.add(key)

    def _cancel_overtaken(self, key: Key, event: JobEvent) -> None:
        """Cancels the delayed action of a pod whose phase has changed in the meantime."""
        planned = self._delayed[key].get(event.pod) if event.pod else None
        if planned is None:
            return
        awaited, timer = planned
        recovered = awaited in (POD_FAILED, POD_EVICTED) and event.event == POD_RUNNING
        if recovered or (awaited == POD_PENDING and event.event != POD_PENDING):
            timer.cancel()
            del self._delayed[key][event.pod]

    def _execute(self, key: Key, spec: JobSpec, action: str, event: JobEvent) -> None:
        job = self._store.find(VOLCANO_JOB, *key)
        if job is None:
            return
        if action != SYNC:
            said = f"Start to execute action {action} "
            self._context.record_event(job, "Normal", "ExecuteAction", said, "vc-controller-manager")
            for _, timer in self._delayed.pop(key, {}).values():
                timer.cancel()
        operation = operation_for(_phase(job), action)
        if operation.kills:
            self._actions.kill(job, spec, operation, action, event)
        else:
            self._actions.sync(job, spec, operation.change)

    def _clean(self, key: Key) -> None:
        """Deletes a finished job when its time to live is over."""
        job = self._store.find(VOLCANO_JOB, *key)
        if job is None or job.deleted is not None or _phase(job) not in FINISHED or self._specs.problem_of(job):
            return
        ttl_s = self._specs.spec_of(job).ttl_s
        if ttl_s is None:
            return
        due = self._actions.finished_at(job) + ttl_s * SECOND
        if due > self._context.clock.now:
            self._cleaning.add_after(key, due - self._context.clock.now)
        else:
            self._context.client.delete(job, policy="Background")


def _phase(job: Resource) -> str:
    return str(((job.manifest.get("status") or {}).get("state") or {}).get("phase") or "")


class _PodEvents:
    """Turns events of the pods of one job into events of the job."""

    def __init__(self, jobs: VolcanoJobs, job: Resource) -> None:
        self._jobs = jobs
        self._key = job.key

    def added(self, new: Pod) -> None:
        self._handle(POD_PENDING, new)

    def modified(self, old: Pod, new: Pod) -> None:
        event = self._jobs.event_of(self._key, old, new)
        if event is not None:
            self._handle(OUT_OF_SYNC if self._jobs.was_killed(new) else event, new)

    def deleted(self, old: Pod) -> None:
        self._handle(OUT_OF_SYNC if self._jobs.was_killed(old) else POD_EVICTED, old)
        self._jobs.pod_gone(old)

    def _handle(self, event: str, pod: Pod) -> None:
        version = pod.annotations.get(JOB_VERSION, "0")
        code = pod.behavior.exit_code if pod.behavior and event == POD_FAILED else 0
        task = pod.annotations.get(TASK_SPEC, "")
        self._jobs.handle(self._key, JobEvent(event, task, pod.name, code, int(version) if version.isdecimal() else 0))
