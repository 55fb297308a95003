from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from wavetank.cluster.objects.pod import RUNNING, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.cluster.objects.volcano import POD_GROUPS
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.volcanojobs.phases import FAILED, PENDING, Change, Operation
from wavetank.controllers.volcanojobs.podgroups import group_document, group_spec
from wavetank.controllers.volcanojobs.pods import TASK_SPEC, group_name, pod_document, pod_name, service_document
from wavetank.controllers.volcanojobs.policies import JobEvent
from wavetank.controllers.volcanojobs.spec import JobSpec, TaskSpec
from wavetank.kernel.durations import SECOND, Nanoseconds

_COUNTS = ("pending", "running", "succeeded", "failed", "terminating", "unknown")
_KEPT = ("state", "version", "minAvailable", "controlledResources", "conditions", "retryCount", "runningDuration")


class JobActions:
    """Syncs or kills the pods of a job, and writes its status."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._killed: set[str] = set()  # uids of pods that were deleted by this controller

    def was_killed(self, pod: Pod) -> bool:
        """Tells whether a pod was deleted because its job or task was killed."""
        return pod.uid in self._killed

    def forget(self, pod: Pod) -> None:
        """Drops what is kept of a deleted pod."""
        self._killed.discard(pod.uid)

    def finished_at(self, job: Resource) -> Nanoseconds:
        """Returns when the job entered its current phase."""
        state = (job.manifest.get("status") or {}).get("state") or {}
        time = parse_time(state.get("lastTransitionTime"), "status.state.lastTransitionTime")
        return self._context.clock.now if time is None else time

    def refuse(self, job: Resource, problem: str) -> None:
        """Fails a job that Volcano's admission would have rejected."""
        status = dict(job.manifest.get("status") or {})
        if (status.get("state") or {}).get("phase") != FAILED:
            status["state"] = {"phase": FAILED, "reason": "InvalidJob", "message": problem}
            self._context.record_event(job, "Warning", "InvalidJob", problem, "vc-controller-manager")
            self._enter(job, status)

    # syncing

    def sync(self, job: Resource, spec: JobSpec, change: Change | None) -> None:
        """Creates missing pods, deletes surplus ones and updates the counts in the status."""
        job = self._initiated(job, spec)
        group = self._grouped(job, spec)
        status: Document = dict(job.manifest.get("status") or {})
        if ((group.manifest.get("status") or {}).get("phase") or PENDING) != PENDING:
            self._make_pods(job, spec, status)
            status = self._counted(job, status)
            status["minAvailable"] = spec.min_available
        if change is not None:
            change(spec, status)
        if _essence(status) != _essence(job.manifest.get("status") or {}):
            self._enter(job, status)

    def _initiated(self, job: Resource, spec: JobSpec) -> Resource:
        """Gives a new job its first status, and creates what its plugins need."""
        status = job.manifest.get("status") or {}
        if (status.get("state") or {}).get("phase"):
            return job
        if "svc" in spec.plugins:
            self._create(service_document(job))
        plugins = {f"plugin-{name}": name for name in spec.plugins}
        new = {"state": {"phase": PENDING}, "minAvailable": spec.min_available}
        return self._enter(job, new | ({"controlledResources": plugins} if plugins else {}))

    def _grouped(self, job: Resource, spec: JobSpec) -> Resource:
        """Returns the job's PodGroup, created or updated if needed."""
        group = self._store.find(POD_GROUPS, job.namespace, group_name(job))
        if group is None:
            return self._context.client.create(group_document(job, spec, self._store))
        wanted, given = group_spec(spec, self._store), group.manifest.get("spec") or {}
        if all(given.get(field) == value for field, value in wanted.items()):
            return group
        document = {**group.render(), "spec": {**given, **wanted}}
        return self._context.client.update(group, document)

    def _make_pods(self, job: Resource, spec: JobSpec, status: Document) -> None:
        there = {pod.name: pod for pod in self._context.pods.of(job.uid)}
        for task in spec.tasks:
            names = [pod_name(job, task, i) for i in range(task.replicas)]
            lacking = [i for i, name in enumerate(names) if name not in there]
            if lacking and self._may_begin(spec, task, job):
                for i in lacking:
                    self._create(pod_document(job, spec, task, i, status))
            wanted = set(names)
            for pod in there.values():
                if pod.annotations.get(TASK_SPEC) == task.name and pod.name not in wanted and pod.deleted is None:
                    self._kill([pod])

    def _may_begin(self, spec: JobSpec, task: TaskSpec, job: Resource) -> bool:
        """Tells whether the tasks that this one depends on are ready."""
        ready = [self._is_ready(spec.task(name), job) for name in task.after]
        return not ready or (any(ready) if task.any_of_them else all(ready))

    def _is_ready(self, task: TaskSpec | None, job: Resource) -> bool:
        if task is None:
            return False
        pods = [pod for pod in self._context.pods.of(job.uid) if pod.annotations.get(TASK_SPEC) == task.name]
        return sum(pod.phase in (RUNNING, SUCCEEDED) for pod in pods) >= task.min_available

    def _create(self, document: Document) -> None:
        try:
            self._context.client.create(document)
        except ApiError as error:
            if error.reason != AlreadyExistsError.reason:
                raise
            # an old pod of that name is still terminating; its deletion enqueues the job again

    # killing

    def kill(self, job: Resource, spec: JobSpec, operation: Operation, action: str, event: JobEvent) -> None:
        """Deletes all pods of a job or those of the target, and its PodGroup; updates its status."""
        status: Document = dict(job.manifest.get("status") or {})
        pods = self._context.pods.of(job.uid)
        if operation.target:
            self._kill(_targets(pods, action, event))
        else:
            status["version"] = status.get("version", 0) + 1
            # finished pods of the last attempt are always kept for inspection
            retains_finished = operation.retains_finished or status.get("retryCount", 0) >= spec.max_retry - 1
            self._kill(pod for pod in pods if not (retains_finished and pod.finished))
        status = self._counted(job, status)
        changed = operation.change is not None and operation.change(spec, status)
        if changed or _counts(status) != _counts(job.manifest.get("status") or {}):
            self._enter(job, status)
        group = self._store.find(POD_GROUPS, job.namespace, group_name(job))
        if group is not None:
            self._context.client.delete(group)

    def _kill(self, pods: Iterable[Pod]) -> None:
        for pod in list(pods):
            if pod.deleted is None:
                self._killed.add(pod.uid)
                self._context.client.delete(pod)

    # status

    def _counted(self, job: Resource, status: Document) -> Document:
        """Returns the status with the current counts of the job's pods."""
        counts: Counter[str] = Counter()
        by_task: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for pod in self._context.pods.of(job.uid):
            if pod.deleted is not None:
                counts["terminating"] += 1
            else:
                counts[pod.phase.lower()] += 1
                by_task[pod.annotations.get(TASK_SPEC, "")][pod.phase] += 1
        new: Document = {field: status[field] for field in _KEPT if field in status}
        new |= {field: counts[field] for field in _COUNTS if counts[field]}
        if by_task:
            new["taskStatusCount"] = {task: {"phase": dict(phases)} for task, phases in sorted(by_task.items())}
        return new

    def _enter(self, job: Resource, status: Document) -> Resource:
        """Writes a status, with the transition time and the condition of its phase."""
        now = render_time(self._context.clock.now)
        phase = status["state"]["phase"]
        status["state"] = {**status["state"], "lastTransitionTime": now}
        others = [each for each in status.get("conditions") or () if each.get("status") != phase]
        status["conditions"] = [*others, {"status": phase, "lastTransitionTime": now}]
        status["runningDuration"] = f"{(self._context.clock.now - job.created) // SECOND}s"
        return self._context.client.update_status(job, status)


def _targets(pods: Iterable[Pod], action: str, event: JobEvent) -> list[Pod]:
    of_task = [pod for pod in pods if pod.annotations.get(TASK_SPEC) == event.task]
    return of_task if action == "RestartTask" else [pod for pod in of_task if pod.name == event.pod]


def _counts(status: Document) -> Document:
    return {field: status.get(field, 0) for field in _COUNTS}


def _essence(status: Document) -> Document:
    """Returns a status without its times."""
    phase = (status.get("state") or {}).get("phase")
    return {"phase": phase, **{field: value for field, value in status.items() if field not in _TIMES}}


_TIMES = ("state", "conditions", "runningDuration")
