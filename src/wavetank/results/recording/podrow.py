from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.kernel.durations import Nanoseconds


class PodRow:
    """The record of one submitted pod; times in nanoseconds since the start of the run, None = never."""

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
