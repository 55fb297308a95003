from __future__ import annotations

from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import JOB
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_of, controller_reference
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectorindex import SelectorIndex
from wavetank.controllers.jobs.backoff import Failures
from wavetank.controllers.jobs.podcontrol import JobPodControl
from wavetank.controllers.jobs.pods import TRACKING, is_tracked
from wavetank.controllers.jobs.spec import is_managed_elsewhere
from wavetank.controllers.jobs.sync import JobSync
from wavetank.controllers.workloads.adoption import release
from wavetank.controllers.workloads.jobconditions import finished_condition
from wavetank.kernel.durations import SECOND, Nanoseconds

_BATCHED: Nanoseconds = SECOND  # changes of pods are batched for this long
_FIRST_RETRY, _LAST_RETRY = SECOND, 60 * SECOND

_JOB_NAME, _CONTROLLER_UID = "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid"


class Jobs:
    """The job-controller: runs pods of each Job until enough of them have succeeded, or too many have failed."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync, first=_FIRST_RETRY, longest=_LAST_RETRY)
        self._leftovers = context.queue(self._clean)  # pods that no Job tracks any more
        self._pod_control = JobPodControl(context)
        self._failures: dict[str, Failures] = {}  # by uid
        self._selectors = SelectorIndex()  # of Jobs with a selector of their own, which may adopt any pod
        self._lost: dict[Key, set[Key]] = {}  # by Job: pods that were its own and have lost their owner
        self._store.subscribe(JOB, self)
        context.pods.follow_orphans(self._orphan_seen)
        for job in self._store.list(JOB):
            self.added(job)

    # events

    def added(self, new: Resource) -> None:
        """Adds a Job, with its existing pods."""
        if (new.manifest.get("spec") or {}).get("manualSelector"):
            self._selectors.put(new.key, _selector(new))
        self._context.pods.follow(new.uid, _Pods(self, new.key))
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a Job: at once if its spec has changed, otherwise with the next batch."""
        if finished_condition(new):
            self._clean_after(new)
        elif _generation(new) == _generation(old):
            self._queue.add_after(new.key, _BATCHED)
        else:
            self._queue.add(new.key)

    def deleted(self, old: Resource) -> None:
        """Removes a Job, and the finalizers of the pods that it leaves behind."""
        self._context.pods.unfollow(old.uid)
        self._selectors.drop(old.key)
        self._lost.pop(old.key, None)
        self._forget(old)

    def _forget(self, job: Resource) -> None:
        self._pod_control.forget(job)
        self._failures.pop(job.uid, None)
        self._clean_after(job)

    def pod_changed(self, key: Key, pod: Pod) -> None:
        """Enqueues the Job of a pod with the next batch; the pod itself if it is deleted after its Job has finished."""
        if pod.deleted is not None and is_tracked(pod):
            job = self._store.find(JOB, *key)
            if job is not None and finished_condition(job):
                self._leftovers.add(pod.key)
                return
        self._queue.add_after(key, _BATCHED)

    def _orphan_seen(self, pod: Pod) -> None:
        if is_tracked(pod):
            self._leftovers.add(pod.key)
        for key in self._selectors.matching(pod.namespace, pod.labels):
            self._queue.add_after(key, _BATCHED)
        name = pod.labels.get(_JOB_NAME)
        job = self._store.find(JOB, pod.namespace, name) if name else None
        if job is not None and pod.labels.get(_CONTROLLER_UID) == job.uid:
            self._lost.setdefault(job.key, set()).add(pod.key)
            self._queue.add_after(job.key, _BATCHED)

    def _clean_after(self, job: Resource) -> None:
        for pod in self._context.pods.of(job.uid):
            if is_tracked(pod):
                self._leftovers.add(pod.key)

    # work

    def _sync(self, key: Key) -> None:
        job = self._store.find(JOB, *key)
        if job is None or is_managed_elsewhere(job):
            return
        if finished_condition(job):
            self._failures.pop(job.uid, None)
            self._pod_control.forget(job)
            return
        try:
            wait = self._run(job)
        finally:
            if not self._context.is_present(job):
                self._forget(job)  # it was deleted meanwhile
        if wait is not None:
            self._queue.add_after(key, wait)

    def _run(self, job: Resource) -> Nanoseconds | None:
        """Syncs a Job with its pods; returns the time until the next sync, if the Job needs one."""
        self._claim(job)
        sync = JobSync(self._context, job, self._context.pods.of(job.uid), self._failures_of(job), self._record)
        try:
            sync.run(self._pod_control)
        finally:
            self._failures[job.uid] = sync.failures
        return sync.wait

    def _record(self, job: Resource, type_: str, reason: str, message: str) -> None:
        self._context.record_event(job, type_, reason, message, "job-controller")

    def _failures_of(self, job: Resource) -> Failures:
        return self._failures.get(job.uid, Failures())

    def _claim(self, job: Resource) -> None:
        """Releases pods that no longer match the selector, and adopts matching orphans."""
        selector = _selector(job)
        if (job.manifest.get("spec") or {}).get("selector"):
            for pod in self._context.pods.of(job.uid):
                if not selector.matches(pod.labels):
                    release(self._context.client, job, pod)
        if job.deleted is not None:
            return
        for pod in self._orphans_for(job):
            if selector.matches(pod.labels) and pod.deleted is None:
                self._adopt(job, pod)

    def _orphans_for(self, job: Resource) -> list[Pod]:
        """Returns the pods without an owner that a Job may adopt: those it had, or any if its selector is its own."""
        if (job.manifest.get("spec") or {}).get("manualSelector"):
            return list(self._context.pods.orphans(job.namespace))
        found = [self._store.find(Pod.group_kind, *key) for key in sorted(self._lost.pop(job.key, ()))]
        return [pod for pod in found if isinstance(pod, Pod) and controller_of(pod) is None]

    def _adopt(self, job: Resource, pod: Pod) -> None:
        document: dict[str, Any] = pod.render()
        metadata = document["metadata"] = dict(document["metadata"])
        metadata["ownerReferences"] = [*(metadata.get("ownerReferences") or ()), controller_reference(job)]
        kept = [each for each in metadata.get("finalizers") or () if each != TRACKING]
        metadata["finalizers"] = [*kept, TRACKING]
        self._context.client.update(pod, document)

    def _clean(self, key: Key) -> None:
        """Removes the finalizer of a pod that no Job tracks any more."""
        pod = self._store.find(Pod.group_kind, *key)
        if not isinstance(pod, Pod) or not is_tracked(pod):
            return
        owner = controller_of(pod)
        if owner is not None:
            job = self._store.find(JOB, pod.namespace, str(owner.get("name")))
            known = job is not None and job.uid == owner.get("uid")
            if owner.get("kind") != "Job" or (known and job is not None and _counts(job)):
                return
        self._pod_control.release(pod)


class _Pods:
    """Passes on the events of the pods of one Job."""

    def __init__(self, jobs: Jobs, key: Key) -> None:
        self._jobs = jobs
        self._key = key

    def added(self, new: Pod) -> None:
        self._jobs.pod_changed(self._key, new)

    def modified(self, old: Pod, new: Pod) -> None:
        self._jobs.pod_changed(self._key, new)

    def deleted(self, old: Pod) -> None:
        self._jobs.pod_changed(self._key, old)


def _counts(job: Resource) -> bool:
    return is_managed_elsewhere(job) or not finished_condition(job)


def _generation(job: Resource) -> int:
    return int((job.manifest.get("metadata") or {}).get("generation") or 0)


def _selector(job: Resource) -> LabelSelector:
    return LabelSelector.parse((job.manifest.get("spec") or {}).get("selector"), path="spec.selector")
