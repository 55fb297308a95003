from __future__ import annotations

from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.podbehavior import Job
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.kernel.durations import Nanoseconds


class PodRow:
    """The record of one pod; times in nanoseconds since the start of the run, None = never."""

    __slots__ = (
        "finished",
        "job",
        "message",
        "name",
        "namespace",
        "node",
        "phase",
        "priority",
        "reason",
        "restarts",
        "scheduled",
        "scheduler",
        "spec",
        "started",
        "submitted",
    )

    def __init__(self, pod: Pod, now: Nanoseconds, scheduler: str) -> None:
        self.namespace = pod.namespace
        self.name = pod.name
        self.spec: PodSpec = pod.spec
        self.job: Job | None = pod.behavior.job if pod.behavior else None
        self.priority = pod.priority
        self.scheduler = scheduler
        self.submitted = now
        self.scheduled: Nanoseconds | None = None
        self.started = pod.started
        self.finished: Nanoseconds | None = None
        self.node = ""
        self.phase = pod.phase
        self.reason = pod.reason
        self.message = pod.message or pod.unschedulable
        self.restarts = pod.restarts

    def take(self, pod: Pod) -> None:
        """Copies the pod's present status."""
        self.phase = pod.phase
        self.reason = pod.reason
        self.message = pod.message or pod.unschedulable
        self.restarts = pod.restarts
        self.started = pod.started


class BoundPodRow(PodRow):
    """The record of a pod that was created bound, as those of a snapshot are.

    It has waited for nothing and has no `started`; `began` is when it began to run, its creation if it ran already.
    Without `placed` its node does not exist, and it holds nothing until then.
    """

    __slots__ = ("began",)

    def __init__(self, pod: Pod, now: Nanoseconds, scheduler: str, placed: bool) -> None:
        super().__init__(pod, now, scheduler)
        self.started = None
        self.began: Nanoseconds | None = now if pod.phase == RUNNING else None
        if placed:
            self.place(pod.node_name, now)

    def place(self, node: str, now: Nanoseconds) -> None:
        """Notes that the node exists, from now on."""
        self.node, self.scheduled = node, now

    def take(self, pod: Pod) -> None:
        """Copies the pod's present status."""
        super().take(pod)
        if self.scheduled is None:
            self.message = self.message or f"its node, {pod.node_name}, does not exist"
        self.began = self.began if pod.started is None else pod.started
        self.started = None
