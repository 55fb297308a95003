from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.pod import SUCCEEDED, Pod
from wavetank.cluster.objects.resource import parse_time, render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.jobs.intervals import count, has, parse_intervals, with_indexes
from wavetank.controllers.jobs.podcontrol import JobPodControl
from wavetank.controllers.jobs.pods import (
    all_failures,
    failure_count,
    finished_at,
    index_of,
    indexes_of,
    is_failed,
    is_terminating,
    is_tracked,
)
from wavetank.controllers.jobs.policies import match_success_policy
from wavetank.controllers.jobs.status import (
    FAILED,
    FAILURE_TARGET,
    SUCCESS_MET,
    SUSPENDED,
    Condition,
    new_condition,
)
from wavetank.controllers.jobs.tracking import JobTracker
from wavetank.controllers.jobs.view import JobView
from wavetank.kernel.durations import SECOND, Nanoseconds


class JobSync(JobView):
    """One sync of a Job with its pods.

    `wait` is then the time until the next sync, if the Job needs one.
    """

    wait: Nanoseconds | None = None

    def run(self, pod_control: JobPodControl) -> None:
        """Syncs a Job; ApiError if a request was refused, after everything else was done."""
        status, spec = self.status, self.spec
        succeeded, failed = self._new_ends()
        self.succeeded = status.succeeded + len(succeeded) + len(self.uncounted[0])
        failures = sum(1 for pod in failed if self.match_failure_policy(pod).counts)
        self.failed = status.failed + failures + len(self.uncounted[1])
        if status.start_time is None and not spec.suspended:
            status.start_time = render_time(self.now)
        ends = [[finished_at(pod, self.context) for pod in pods] for pods in (succeeded, failed)]
        self.new_failures = self.failures.after(*ends)
        self.finished = self._earlier_verdict() or self._failure()
        if spec.indexed:
            self._look_at_indexes()
        active, changed, problem = self._act(pod_control)
        changed = changed or active != status.active or self.ready != status.ready
        changed = changed or self.terminating != status.terminating
        status.active, status.ready, status.terminating = active, self.ready, self.terminating
        self.failures = JobTracker(self, pod_control).track(changed)
        if problem is not None:
            raise problem

    # the outcome

    def _new_ends(self) -> tuple[list[Pod], list[Pod]]:
        """Returns the pods that have succeeded and failed since the last sync."""
        valid = [pod for pod in self.pods if is_tracked(pod) and self.has_valid_index(pod)]
        succeeded = [pod for pod in valid if pod.uid not in self.uncounted[0] and pod.phase == SUCCEEDED]
        return succeeded, [pod for pod in valid if pod.uid not in self.uncounted[1] and is_failed(pod, self.spec)]

    def _earlier_verdict(self) -> Condition | None:
        met = self.status.condition(SUCCESS_MET)
        target = self.status.condition(FAILURE_TARGET)
        if met is not None or target is None:
            return met
        return new_condition(FAILED, target.get("reason", ""), target.get("message", ""), self.now)

    def _failure(self) -> Condition | None:
        """Returns the condition with which the Job fails, if it does."""
        spec = self.spec
        for pod in self.pods if spec.failure_policy else ():
            message = self.match_failure_policy(pod).message if is_failed(pod, spec) else ""
            if message:
                return new_condition(FAILURE_TARGET, "PodFailurePolicy", message, self.now)
        if self.failed > spec.backoff_limit or self._restarted_too_often():
            return self._failed_because("BackoffLimitExceeded", "Job has reached the specified backoff limit")
        if spec.deadline_s is None or spec.suspended or self.status.start_time is None:
            return None
        left = spec.deadline_s * SECOND - (self.now - self._started())
        if left <= 0:
            return self._failed_because("DeadlineExceeded", "Job was active longer than specified deadline")
        self.wait = left
        return None

    def _failed_because(self, reason: str, message: str) -> Condition:
        return new_condition(FAILURE_TARGET, reason, message, self.now)

    def _started(self) -> Nanoseconds:
        stated = (self.job.manifest.get("status") or {}).get("startTime")
        started = parse_time(stated, "status.startTime")
        return self.now if started is None else started

    def _restarted_too_often(self) -> bool:
        if not self.spec.restarts_in_place:
            return False
        restarts = sum(self._restarts(pod) for pod in self.pods if pod.phase in ("Running", "Pending"))
        return restarts > 0 if self.spec.backoff_limit == 0 else restarts >= self.spec.backoff_limit

    def _restarts(self, pod: Pod) -> int:
        status = self.context.render(pod).get("status") or {}
        containers = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
        return sum(int(each.get("restartCount") or 0) for each in containers) if containers else pod.restarts

    # indexes

    def _look_at_indexes(self) -> None:
        spec, completions = self.spec, self.spec.completions or 0
        valid = [pod for pod in self.pods if is_tracked(pod) and self.has_valid_index(pod)]
        self.counted_indexes = parse_intervals(self.status.completed_indexes, completions)
        new = indexes_of(pod for pod in valid if pod.phase == SUCCEEDED)
        self.succeeded_indexes = with_indexes(self.counted_indexes, new)
        self.succeeded = count(self.succeeded_indexes)
        if spec.backoff_per_index is not None:
            known = parse_intervals(self.status.failed_indexes or "", completions)
            self.failed_indexes = with_indexes(known, indexes_of(pod for pod in valid if self._is_last(pod)))
            self.finished = self.finished or self._too_many_failed_indexes(completions)
            self.delayed = self._delayed_pods(valid)
        message = match_success_policy(spec.success_policy, self.succeeded_indexes, completions)
        if self.finished is None and message:
            self.finished = new_condition(SUCCESS_MET, "SuccessPolicy", message, self.now)

    def _is_last(self, pod: Pod) -> bool:
        """Tells whether the pod's index has failed with this pod."""
        if not is_failed(pod, self.spec):
            return False
        match = self.match_failure_policy(pod)
        limit = self.spec.backoff_per_index or 0
        return match.action == "FailIndex" or (match.counts and failure_count(pod) >= limit)

    def _too_many_failed_indexes(self, completions: int) -> Condition | None:
        failed, most = count(self.failed_indexes or []), self.spec.max_failed_indexes
        if most is not None and failed > most:
            message = "Job has exceeded the specified maximal number of failed indexes"
            return self._failed_because("MaxFailedIndexesExceeded", message)
        if failed and failed + self.succeeded >= completions:
            return self._failed_because("FailedIndexes", "Job has failed indexes")
        return None

    def _delayed_pods(self, valid: list[Pod]) -> dict[int, Pod]:
        """Returns the failed pods that carry the failure count of their index until they are replaced."""
        running, delayed = indexes_of(self.active), dict[int, Pod]()
        for pod in valid:
            index = index_of(pod)
            if index is None or not is_failed(pod, self.spec) or index in running:
                continue
            if has(self.succeeded_indexes, index) or has(self.failed_indexes or [], index):
                continue
            known = delayed.get(index)
            if known is None or (all_failures(known) <= all_failures(pod) and not self._ended_before(pod, known)):
                delayed[index] = pod
        return delayed

    def _ended_before(self, one: Pod, other: Pod) -> bool:
        return finished_at(one, self.context) < finished_at(other, self.context)

    # pods to create and to delete

    def _act(self, pod_control: JobPodControl) -> tuple[int, bool, ApiError | None]:
        """Creates and deletes pods; returns how many are active, whether to write the status, and the first error."""
        if self.finished is not None:
            deleted, problem = pod_control.delete(self.job, self.active)
            if len(deleted) != len(self.active):
                self.finished = None
            self._note_deleted(deleted)
            return len(self.active) - len(deleted), False, problem
        active, problem = self._manage(pod_control) if self.job.deleted is None else (len(self.active), None)
        wanted = self.spec.completions
        if active == 0 and (self.succeeded > 0 if wanted is None else self.succeeded >= wanted):
            message = "Reached expected number of succeeded pods"
            self.finished = new_condition(SUCCESS_MET, "CompletionsReached", message, self.now)
            return active, False, problem
        changed = self.job.deleted is None and self._note_suspension()
        return active, changed, problem

    def _manage(self, pod_control: JobPodControl) -> tuple[int, ApiError | None]:
        spec, active = self.spec, len(self.active)
        wanted = 0 if spec.suspended else self._wanted(active)
        too_many = pod_control.for_removal(self.spec, self.active, max(0, active - wanted))
        if spec.suspended or too_many:
            deleted, problem = pod_control.release_and_delete(self.job, too_many)
            self._note_deleted(deleted)
            return active - len(deleted), problem
        missing = wanted - active - (self.terminating if spec.replaces_only_failed else 0)
        if missing <= 0:
            return active, None
        return self._create(pod_control, active, missing)

    def _wanted(self, active: int) -> int:
        if self.spec.completions is None:
            return active if self.succeeded > 0 else self.spec.parallelism
        return max(0, min(self.spec.completions - self.succeeded, self.spec.parallelism))

    def _create(self, pod_control: JobPodControl, active: int, missing: int) -> tuple[int, ApiError | None]:
        spec = self.spec
        wait = self.new_failures.remaining(self.now) if spec.backoff_per_index is None else 0
        indexes: list[int] = []
        if spec.indexed and not wait:
            taken = with_indexes(self.succeeded_indexes, indexes_of(self.active))
            if spec.replaces_only_failed:
                taken = with_indexes(taken, indexes_of(pod for pod in self.pods if is_terminating(pod)))
            indexes, wait = pod_control.next_indexes(spec, missing, taken, self.failed_indexes or [], self.delayed)
            missing = len(indexes)
        if wait:
            self.wait = max(SECOND, wait) if self.wait is None else min(self.wait, max(SECOND, wait))
            return active, None
        created, problem = pod_control.create(self.job, spec, missing, indexes, self.delayed)
        return active + created, problem

    def _note_deleted(self, deleted: Sequence[Pod]) -> None:
        self.terminating += len(deleted)
        self.ready -= sum(1 for pod in deleted if self.context.ready_since(pod) is not None)

    def _note_suspension(self) -> bool:
        if self.spec.suspended:
            changed = self.status.ensure(new_condition(SUSPENDED, "JobSuspended", "Job suspended", self.now))
            if changed:
                self.record_event(self.job, "Normal", "Suspended", "Job suspended")
            return changed
        changed = self.status.ensure(new_condition(SUSPENDED, "JobResumed", "Job resumed", self.now, "False"))
        if changed:
            self.record_event(self.job, "Normal", "Resumed", "Job resumed")
            self.status.start_time = render_time(self.now)  # its deadline counts from here
        return changed
