from __future__ import annotations

from collections.abc import Callable, Sequence

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.jobs.backoff import Failures
from wavetank.controllers.jobs.intervals import Intervals
from wavetank.controllers.jobs.pods import index_of, is_active, is_terminating
from wavetank.controllers.jobs.policies import FailureMatch, match_failure_policy
from wavetank.controllers.jobs.spec import JobSpec
from wavetank.controllers.jobs.status import Condition, JobStatus

EventRecorder = Callable[[Resource, str, str, str], None]


class JobView:
    """A Job with its pods at one instant, and what a sync derives from them.

    `failures` determine the back-off; `finished` is the condition with which the Job finishes, if it does.
    """

    def __init__(
        self,
        context: ControllerContext,
        job: Resource,
        pods: Sequence[Pod],
        failures: Failures,
        record_event: EventRecorder,
    ) -> None:
        self.context = context
        self.now = context.clock.now
        self.record_event = record_event
        self.job = job
        self.spec = JobSpec(job)
        self.status = JobStatus(job)
        self.uncounted = (frozenset(self.status.uncounted_succeeded), frozenset(self.status.uncounted_failed))
        self.pods = list(pods)
        self.active = [pod for pod in pods if is_active(pod)]
        self.ready = sum(1 for pod in self.active if context.ready_since(pod) is not None)
        self.terminating = sum(1 for pod in pods if is_terminating(pod))
        self.failures = self.new_failures = failures
        self.succeeded = self.failed = 0
        self.finished: Condition | None = None
        self.succeeded_indexes: Intervals = []
        self.counted_indexes: Intervals = []
        self.failed_indexes: Intervals | None = None
        self.delayed: dict[int, Pod] = {}  # by index: the failed pod that stays until it is replaced

    def has_valid_index(self, pod: Pod) -> bool:
        """Tells whether the Job counts a pod."""
        if not self.spec.indexed:
            return True
        index = index_of(pod)
        return index is not None and index < (self.spec.completions or 0)

    def match_failure_policy(self, pod: Pod) -> FailureMatch:
        """Matches a failed pod against the Job's podFailurePolicy."""
        return (
            match_failure_policy(self.spec.failure_policy, pod, self.context)
            if self.spec.failure_policy
            else FailureMatch()
        )
