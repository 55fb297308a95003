"""What autoscalers did in a run: their syncs over time, and figures of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from wavetank.cluster.fields.selectors import parse_selector_text
from wavetank.cluster.objects.resource import Manifest
from wavetank.controllers.podautoscaler.autoscaler import Autoscaler, MetricSpec
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.quantity import milli
from wavetank.results.recording.autoscalers import AutoscalerRecorder, RunningPod, ScaledWorkload

_HOUR = 3600 * SECOND
_SOURCES = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}
_TROUBLES = ("AbleToScale", "ScalingActive")


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric at a sync, in the unit of its target: percent of the request, or units."""

    metric: str
    use: float
    target: float

    @property
    def ratio(self) -> float:
        """Returns the use in proportion to the target."""
        return self.use / self.target if self.target else 0.0


@dataclass(frozen=True, slots=True)
class Sync:
    """The outcome of a sync; `measured` is None if no metric could be had."""

    time: Nanoseconds
    replicas: int
    desired: int
    ready: int  # pods, before the sync
    measured: Measured | None
    rescaled: bool

    @property
    def load(self) -> float | None:
        """Returns the load in pods at the target."""
        return None if self.measured is None else self.ready * self.measured.ratio


class PodCount:
    """How many of some pods ran at any time."""

    def __init__(self, pods: Sequence[RunningPod], end: Nanoseconds) -> None:
        ends = [end if pod.end is None else pod.end for pod in pods]
        self._begins = sorted(pod.begin for pod in pods)
        self._ends = sorted(ends)
        self.hours = sum(until - pod.begin for pod, until in zip(pods, ends, strict=True)) / _HOUR
        self.most = max((self.at(begin) for begin in self._begins), default=0)

    def at(self, time: Nanoseconds) -> int:
        """Returns the number at a time."""
        return bisect_right(self._begins, time) - bisect_right(self._ends, time)


class AutoscalerFigures:
    """One autoscaler of a finished run."""

    def __init__(self, workload: ScaledWorkload, pods: Sequence[RunningPod], end: Nanoseconds) -> None:
        self.name = f"{workload.namespace}/{workload.name}"
        self.spec = Autoscaler.parse(workload.manifest)
        self._end = end
        self._last = workload.statuses[-1][1] if workload.statuses else workload.manifest
        self.pods = PodCount(_selected(workload, pods), end)
        self.syncs = [self._sync(time, manifest) for time, manifest in workload.statuses]

    @property
    def scales(self) -> str:
        """Returns what it scales."""
        return f"{self.spec.kind}/{self.spec.name}"

    @property
    def mean_pods(self) -> float:
        """Returns the mean of the running pods over the run."""
        return self.pods.hours * _HOUR / self._end if self._end else 0.0

    @property
    def changes(self) -> list[int]:
        """Returns by how many replicas each rescale changed the target."""
        return [sync.desired - sync.replicas for sync in self.syncs if sync.rescaled]

    @property
    def direction_changes(self) -> int:
        """Returns the rescales in the opposite direction of the one before."""
        return sum((one > 0) != (other > 0) for one, other in pairwise(self.changes))

    @property
    def time_above_target(self) -> Nanoseconds:
        """Returns the time in which the use was above the target, as the syncs saw it."""
        return sum(until - sync.time for sync, until in self._spans() if sync.measured and sync.measured.ratio > 1)

    @property
    def missing_pod_hours(self) -> float:
        """Returns the load above what the running pods carry at the target, over time."""
        lacking = (max((sync.load or 0.0) - sync.ready, 0.0) * (until - sync.time) for sync, until in self._spans())
        return sum(lacking) / _HOUR

    def warnings(self) -> list[str]:
        """Returns the conditions that have kept it from its work to the end, in the controller's words."""
        conditions = (self._last.get("status") or {}).get("conditions") or ()
        failed = [each for each in conditions if each["type"] in _TROUBLES and each["status"] == "False"]
        return [f"HPA {self.name}: {each['reason']}: {each.get('message', '')}" for each in failed]

    def _spans(self) -> list[tuple[Sync, Nanoseconds]]:
        """Returns each sync with the time of the next one, or of the end."""
        times = [*(sync.time for sync in self.syncs[1:]), self._end]
        return list(zip(self.syncs, times, strict=False))

    def _sync(self, time: Nanoseconds, manifest: Manifest) -> Sync:
        status: dict[str, Any] = manifest.get("status") or {}
        replicas, desired = int(status.get("currentReplicas") or 0), int(status.get("desiredReplicas") or 0)
        reasons = {each.get("type"): each.get("reason") for each in status.get("conditions") or ()}
        rescaled = desired != replicas and reasons.get("AbleToScale") == "SucceededRescale"
        ready = self.pods.at(time - 1)  # without pods of this sync, which may start at once
        asked = desired if rescaled else replicas  # a sync without a decision leaves the target as it is
        return Sync(time, replicas, asked, ready, _measured(self.spec, status), rescaled)


def autoscaler_figures(recorder: AutoscalerRecorder, end: Nanoseconds) -> list[AutoscalerFigures]:
    """Returns the autoscalers of a run that ended at `end`, in the order of their creation."""
    return [AutoscalerFigures(workload, recorder.pods, end) for workload in recorder.workloads]


def _selected(workload: ScaledWorkload, pods: Sequence[RunningPod]) -> list[RunningPod]:
    if not workload.selector:
        return []
    selector = parse_selector_text(workload.selector)
    return [pod for pod in pods if pod.namespace == workload.namespace and selector.matches(pod.labels)]


def _measured(spec: Autoscaler, status: dict[str, Any]) -> Measured | None:
    """Returns the metric that is highest in proportion to its target."""
    pairs = zip(spec.metrics, status.get("currentMetrics") or (), strict=False)
    found = [each for metric, current in pairs if (each := _metric(metric, current)) is not None]
    return max(found, key=lambda each: each.ratio, default=None)


def _metric(spec: MetricSpec, status: dict[str, Any]) -> Measured | None:
    current: dict[str, Any] = (status.get(_SOURCES.get(spec.type, "")) or {}).get("current") or {}
    if spec.average_utilization is not None and "averageUtilization" in current:
        return Measured(spec.name, current["averageUtilization"], spec.average_utilization)
    for field, target in (("averageValue", spec.average_value), ("value", spec.value)):
        if target is not None and field in current:
            return Measured(spec.name, milli(current[field]) / 1000, target / 1000)
    return None
