"""What the job-controller reads from a pod."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wavetank.cluster.objects.pod import FAILED, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import parse_time
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.jobs.spec import JobSpec
from wavetank.kernel.durations import SECOND, Nanoseconds

TRACKING = "batch.kubernetes.io/job-tracking"  # finalizer of a pod that is not counted yet
INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count"


def is_tracked(pod: Pod) -> bool:
    """Tells whether a pod still has the tracking finalizer."""
    return TRACKING in ((pod.manifest.get("metadata") or {}).get("finalizers") or ())


def is_active(pod: Pod) -> bool:
    """Tells whether a pod is neither finished nor being deleted."""
    return pod.deleted is None and not pod.finished


def is_terminating(pod: Pod) -> bool:
    """Tells whether a pod is being deleted and has not finished."""
    return pod.deleted is not None and not pod.finished


def is_failed(pod: Pod, spec: JobSpec) -> bool:
    """Tells whether a pod counts as failed; one deleted before its end does, unless the Job waits for it to finish."""
    if pod.phase == FAILED:
        return True
    return not spec.replaces_only_failed and pod.deleted is not None and pod.phase != SUCCEEDED


def index_of(pod: Pod) -> int | None:
    """Returns the completion index of a pod."""
    text = pod.annotations.get(INDEX, "")
    return int(text) if text.isdigit() else None


def indexes_of(pods: Iterable[Pod]) -> set[int]:
    """Returns the completion indexes of pods."""
    return {index for pod in pods if (index := index_of(pod)) is not None}


def failure_count(pod: Pod, annotation: str = FAILURES) -> int:
    """Returns how many pods of the same index have failed before this one, by its annotation."""
    text = pod.annotations.get(annotation, "")
    return int(text) if text.isdigit() and int(text) < 2**31 else 0


def all_failures(pod: Pod) -> int:
    """Returns how many pods of the same index have failed before this one, ignored failures included."""
    return failure_count(pod) + failure_count(pod, IGNORED_FAILURES)


def finished_at(pod: Pod, context: ControllerContext) -> Nanoseconds:
    """Returns when a pod finished, in whole seconds, from the most exact source there is."""
    status: Mapping[str, Any] = context.render(pod).get("status") or {}
    for found in (_containers_finished(pod, status), _not_ready_since(status)):
        if found is not None:
            return found
    if pod.deleted is not None:
        grace = (pod.manifest.get("metadata") or {}).get("deletionGracePeriodSeconds") or 0
        return _second(pod.deleted) - int(grace) * SECOND
    if pod.behavior is not None and pod.behavior.duration is not None and pod.started is not None:
        return _second(pod.started + pod.behavior.duration)
    return _second(pod.created)


def exit_codes(pod: Pod, context: ControllerContext) -> Iterator[tuple[str, int]]:
    """Yields the terminated containers of a pod with their exit codes."""
    status: Mapping[str, Any] = context.render(pod).get("status") or {}
    statuses = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    if not statuses and pod.phase == FAILED and pod.behavior is not None:  # a run has no container statuses
        for container in pod.spec.manifest.get("containers") or ():
            yield str(container.get("name")), pod.behavior.exit_code or 1
    for container in statuses:
        ended = (container.get("state") or {}).get("terminated")
        if ended is not None:
            yield str(container.get("name")), int(ended.get("exitCode") or 0)


def _containers_finished(pod: Pod, status: Mapping[str, Any]) -> Nanoseconds | None:
    beside = {
        each.get("name")
        for each in pod.spec.manifest.get("initContainers") or ()
        if each.get("restartPolicy") == "Always"
    }
    containers = list(status.get("containerStatuses") or ())
    containers += [each for each in status.get("initContainerStatuses") or () if each.get("name") in beside]
    ends = [((each.get("state") or {}).get("terminated") or {}).get("finishedAt") for each in containers]
    if not ends or not all(ends):
        return None
    return max(time for end in ends if (time := parse_time(end, "finishedAt")) is not None)


def _not_ready_since(status: Mapping[str, Any]) -> Nanoseconds | None:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") == "False":
            return parse_time(condition.get("lastTransitionTime"), "lastTransitionTime")
    return None


def _second(time: Nanoseconds) -> Nanoseconds:
    return time // SECOND * SECOND
