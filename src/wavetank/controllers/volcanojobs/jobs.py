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
from wavetank.controllers.volcanojobs.labour import Labour
from wavetank.controllers.volcanojobs.phases import FINISHED, deed_of
from wavetank.controllers.volcanojobs.pods import JOB_VERSION, TASK_SPEC
from wavetank.controllers.volcanojobs.policies import OUT_OF_SYNC, POD_RUNNING, SYNC, Happening, judge
from wavetank.controllers.volcanojobs.reading import Reading
from wavetank.controllers.volcanojobs.spec import JobSpec, TaskSpec
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
class _Order:
    """Something to be done to a job: what its policies say of a happening, or an action whose delay is over."""

    happening: Happening
    action: str = ""


class VolcanoJobs:
    """The job controller of Volcano: makes PodGroups and pods of Jobs, and acts by their policies on what happens.

    Pods are made once the scheduler has let the PodGroup into the queue. A Job that Volcano's admission would refuse
    fails at once and says why.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._work)
        self._cleaning = context.queue(self._clean)
        self._labour = Labour(context)
        self._reading = Reading()
        self._orders: defaultdict[Key, list[_Order]] = defaultdict(list)
        self._delayed: defaultdict[Key, dict[str, tuple[str, Timer]]] = defaultdict(dict)  # by job and pod
        self._store.subscribe(VOLCANO_JOB, self)
        self._store.subscribe(POD_GROUPS, modified=self._group_modified)
        for job in self._store.list(VOLCANO_JOB):
            self.added(job)

    # what the store tells

    def added(self, new: Resource) -> None:
        """Takes in a job, with the pods that it has already."""
        self._context.pods.follow(new.uid, _PodEvents(self, new))
        self.tell(new.key, Happening(OUT_OF_SYNC))

    def modified(self, old: Resource, new: Resource) -> None:
        """Looks at a job whose spec or phase has changed."""
        if old.manifest.get("spec") != new.manifest.get("spec") or _phase(old) != _phase(new):
            self.tell(new.key, Happening(OUT_OF_SYNC))
        if _phase(new) in FINISHED:
            self._cleaning.add(new.key)

    def deleted(self, old: Resource) -> None:
        """Forgets a job; its pods are the garbage collector's."""
        self._context.pods.unfollow(old.uid)
        self._reading.forget(old)
        self._orders.pop(old.key, None)
        for _, timer in self._delayed.pop(old.key, {}).values():
            timer.cancel()

    def _group_modified(self, old: Resource, new: Resource) -> None:
        """Takes in the phase of a job's PodGroup, which the scheduler writes."""
        before, after = ((each.manifest.get("status") or {}).get("phase") for each in (old, new))
        owner = controller_of(new)
        if before != after and owner is not None and owner.get("kind") == "Job":
            event = JOB_UNKNOWN if after == "Unknown" else ""
            self.tell((new.namespace, str(owner["name"])), Happening(event))

    def tell(self, key: Key, happening: Happening) -> None:
        """Notes that something has happened to a job."""
        self._orders[key].append(_Order(happening))
        self._queue.add(key)

    # what happened to pods

    def event_of(self, job_key: Key, old: Pod, new: Pod) -> str | None:
        """Names what the change of a pod means to its job; None if nothing."""
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
        if job is None or self._reading.problem_of(job):
            return None, []
        name = pod.annotations.get(TASK_SPEC, "")
        pods = [each for each in self._context.pods.of(job.uid) if each.annotations.get(TASK_SPEC) == name]
        return self._reading.spec_of(job).task(name), pods

    def was_killed(self, pod: Pod) -> bool:
        """Tells whether a pod goes because this controller wanted it."""
        return self._labour.was_killed(pod)

    def pod_gone(self, pod: Pod) -> None:
        """Forgets a pod."""
        self._labour.forget(pod)

    # work

    def _work(self, key: Key) -> None:
        job = self._store.find(VOLCANO_JOB, *key)
        orders, self._orders[key] = self._orders[key], []
        if job is None or job.deleted is not None:
            self._orders.pop(key, None)
            return
        problem = self._reading.problem_of(job)
        if problem:
            self._labour.refuse(job, problem)
            return
        spec = self._reading.spec_of(job)
        for order in orders:
            self._obey(key, spec, order)
        self._execute(key, spec, SYNC, Happening(OUT_OF_SYNC))

    def _obey(self, key: Key, spec: JobSpec, order: _Order) -> None:
        happening = order.happening
        self._cancel_overtaken(key, happening)
        if order.action:
            self._execute(key, spec, order.action, happening)
            return
        job = self._store.get(VOLCANO_JOB, *key)
        verdict = judge(happening, spec, int((job.manifest.get("status") or {}).get("version") or 0))
        if verdict.action == SYNC:
            return  # which is done once, after all the rest
        if verdict.delay:
            later = partial(self._when_due, key, _Order(happening, verdict.action))
            self._delayed[key][happening.pod] = happening.event, self._context.clock.after(verdict.delay, later)
        else:
            self._execute(key, spec, verdict.action, happening)

    def _when_due(self, key: Key, order: _Order) -> None:
        self._delayed[key].pop(order.happening.pod, None)
        self._orders[key].append(order)
        self._queue.add(key)

    def _cancel_overtaken(self, key: Key, happening: Happening) -> None:
        """Forgets what was to be done about a pod that has moved on meanwhile."""
        planned = self._delayed[key].get(happening.pod) if happening.pod else None
        if planned is None:
            return
        event, timer = planned
        recovered = event in (POD_FAILED, POD_EVICTED) and happening.event == POD_RUNNING
        if recovered or (event == POD_PENDING and happening.event != POD_PENDING):
            timer.cancel()
            del self._delayed[key][happening.pod]

    def _execute(self, key: Key, spec: JobSpec, action: str, happening: Happening) -> None:
        job = self._store.find(VOLCANO_JOB, *key)
        if job is None:
            return
        if action != SYNC:
            said = f"Start to execute action {action} "
            self._context.tell(job, "Normal", "ExecuteAction", said, "vc-controller-manager")
            for _, timer in self._delayed.pop(key, {}).values():
                timer.cancel()
        deed = deed_of(_phase(job), action)
        if deed.kills:
            self._labour.kill(job, spec, deed, action, happening)
        else:
            self._labour.sync(job, spec, deed.change)

    def _clean(self, key: Key) -> None:
        """Deletes a finished job when its time to live is over."""
        job = self._store.find(VOLCANO_JOB, *key)
        if job is None or job.deleted is not None or _phase(job) not in FINISHED or self._reading.problem_of(job):
            return
        ttl_s = self._reading.spec_of(job).ttl_s
        if ttl_s is None:
            return
        due = self._labour.finished_at(job) + ttl_s * SECOND
        if due > self._context.clock.now:
            self._cleaning.add_after(key, due - self._context.clock.now)
        else:
            self._context.client.delete(job, policy="Background")


def _phase(job: Resource) -> str:
    return str(((job.manifest.get("status") or {}).get("state") or {}).get("phase") or "")


class _PodEvents:
    """The pods of one job."""

    def __init__(self, jobs: VolcanoJobs, job: Resource) -> None:
        self._jobs = jobs
        self._key = job.key

    def added(self, new: Pod) -> None:
        self._tell(POD_PENDING, new)

    def modified(self, old: Pod, new: Pod) -> None:
        event = self._jobs.event_of(self._key, old, new)
        if event is not None:
            self._tell(OUT_OF_SYNC if self._jobs.was_killed(new) else event, new)

    def deleted(self, old: Pod) -> None:
        self._tell(OUT_OF_SYNC if self._jobs.was_killed(old) else POD_EVICTED, old)
        self._jobs.pod_gone(old)

    def _tell(self, event: str, pod: Pod) -> None:
        version = pod.annotations.get(JOB_VERSION, "0")
        code = pod.behavior.exit_code if pod.behavior and event == POD_FAILED else 0
        task = pod.annotations.get(TASK_SPEC, "")
        self._jobs.tell(self._key, Happening(event, task, pod.name, code, int(version) if version.isdecimal() else 0))
